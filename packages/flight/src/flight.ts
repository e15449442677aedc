import type { NextMarker } from './next-marker.ts';
import type { RowIndex } from './row-index.ts';
import type { Tape } from './tape.ts';

/**
 * One decoded Flight payload: the bytes, where its rows are, and the tape of its JSON. Everything else (rows, values,
 * errors, modules) is read from these when asked, so that a payload of 5 MB and 20 000 rows costs about its own size.
 */
export type Flight = {
  /** Without the marker of Next.js. */
  bytes: Uint8Array;
  /** What Next.js says of the payload in a byte before it: whether it has holes. Undefined without such a byte. */
  marker: NextMarker | undefined;
  /** `response`: server to client. `request`: an action's arguments, where some `$` forms mean something else. */
  direction: 'response' | 'request';
  rows: RowIndex;
  tape: Tape;
  /** The row of the root (id 0), once it came. */
  root: number | undefined;
  state: FlightState;
  /** Of a request: the name and the type of each file, by the id of its row. */
  files: ReadonlyMap<number, FileFacts>;
  /** The source file of a client module, by its id, where a build has numbered or hashed its modules and says which is which. */
  moduleFiles: ReadonlyMap<string, string>;
  /** The last text window read; see value-text.ts. */
  window: TextWindow;
};

/**
 * - complete: every row that was promised came.
 * - aborted: rows were given up; each says which error row has the reason (React's `abort`).
 * - halted: the stream ended between rows, but rows that were promised never came: a prerender stopped by design, or a
 *   connection cut exactly there. The bytes cannot tell these two apart.
 * - truncated: it ends inside a row, or before the root row.
 * - malformed: `at` is the first byte that cannot be Flight. Rows before it are readable, and after it too when only one
 *   row's JSON is broken, or when it is a blank line.
 */
export type FlightState =
  | { kind: 'complete' }
  | { kind: 'aborted'; error: number; pending: readonly number[] }
  | { kind: 'halted'; pending: readonly number[] }
  | { kind: 'truncated'; at: number; rowStart: number; reason: string }
  | { kind: 'malformed'; at: number; reason: string };

/** A Blob that is no File is called `blob`; so are the bytes of a typed array. */
type FileFacts = { readonly filename: string; readonly type: string };

type TextWindow = { start: number; end: number; text: string; size: number };

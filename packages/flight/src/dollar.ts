/**
 * A JSON string that begins with `$` does not stand for its text, but for a value that JSON lacks, or a place in another
 * row. Some letters mean one thing in a response and another in an action's request (`$S`: a symbol, or an Int16Array),
 * hence the direction. References are read as an id and a path; resolve.ts follows them.
 *
 * Sources: parseModelString in react-server-dom-webpack 19.3.1, client (responses) and server (requests); 19.0 to 19.2
 * differ in `$F` (server references before December 2025), `$P` and `$Y` (19.2), `$w` (19.3), `$H` (the canaries after 19.3).
 */
import { rowTagOf, type BinaryType, type StreamKind } from './row-tags.ts';

export type Target = { id: number; path: readonly string[] };

export type DollarForm =
  | { kind: 'string'; value: string }
  | { kind: 'undefined' }
  | { kind: 'number'; value: number }
  | { kind: 'bigint'; digits: string }
  /** `iso` as sent: an invalid date is `NaN` in the browser and text here. */
  | { kind: 'date'; iso: string }
  | { kind: 'symbol'; name: string }
  /** The value of another row, or what a path leads to in it: sent once, used here again. */
  | ({ kind: 'reference' } & Target)
  /** What a Suspense boundary or a client component waits for. */
  | ({ kind: 'lazy' } & Target)
  | ({ kind: 'promise' } & Target)
  /** A promise that never resolves: development of 19.0 and 19.1 says so of a value that it does not send. */
  | { kind: 'never' }
  | ({ kind: 'server-reference' } & Target)
  | ({ kind: 'map' } & Target)
  | ({ kind: 'set' } & Target)
  | ({ kind: 'iterator' } & Target)
  | ({ kind: 'form-data' } & Target)
  | ({ kind: 'blob' } & Target)
  /** An Error as a value: in production it carries nothing at all, not even a digest. */
  | { kind: 'error'; target: Target | undefined }
  /** A value that stays in the browser: the path names where it was in the request. */
  | { kind: 'temporary'; path: string }
  /** Requests only: in a response a stream is a row. */
  | ({ kind: 'stream'; stream: StreamKind } & Target)
  /** Requests only: in a response a typed array is a row. */
  | ({ kind: 'binary'; type: BinaryType } & Target)
  /** Development only. The name of an object's class, under the key `""`. */
  | ({ kind: 'constructor' } & Target)
  /** Development only. React's client evaluates it; here it is text. */
  | { kind: 'function-source'; source: string }
  /** Development only: left out of the payload, to be asked for over the debug channel. */
  | { kind: 'omitted'; target: Target | undefined; isPromise: boolean }
  | { kind: 'unknown'; text: string };

const idPattern = /^[0-9a-f]{1,8}$/;

/** `3f:props:children` → its row and path; undefined when it is no reference. */
function readTarget(text: string): Target | undefined {
  const [first = '', ...path] = text.split(':');
  if (!idPattern.test(first)) return undefined;
  return { id: Number.parseInt(first, 16), path };
}

function toTarget<Kind extends string>(kind: Kind, text: string, from: number): ({ kind: Kind } & Target) | Unknown {
  const target = readTarget(text.slice(from));
  return target ? { kind, ...target } : { kind: 'unknown', text };
}

type Unknown = { kind: 'unknown'; text: string };

/** The forms both directions share; undefined for others. */
function readShared(text: string): DollarForm | undefined {
  switch (text[1]) {
    case '$':
      return { kind: 'string', value: text.slice(1) };
    case '@':
      return text === '$@' ? { kind: 'never' } : toTarget('promise', text, 2);
    case 'h':
    case 'F':
      return toTarget('server-reference', text, 2);
    case 'T':
      return { kind: 'temporary', path: text.slice(2) };
    case 'Q':
      return toTarget('map', text, 2);
    case 'W':
      return toTarget('set', text, 2);
    case 'K':
      return toTarget('form-data', text, 2);
    case 'B':
      return toTarget('blob', text, 2);
    case 'i':
      return toTarget('iterator', text, 2);
    case 'I':
      return { kind: 'number', value: Infinity };
    case '-':
      return { kind: 'number', value: text === '$-0' ? -0 : -Infinity };
    case 'N':
      return { kind: 'number', value: Number.NaN };
    case 'u':
    case 'H':
      return { kind: 'undefined' };
    case 'D':
      return { kind: 'date', iso: text.slice(2) };
    case 'n':
      return /^-?\d+$/.test(text.slice(2)) ? { kind: 'bigint', digits: text.slice(2) } : { kind: 'unknown', text };
    default:
      return undefined;
  }
}

function readOmitted(text: string): DollarForm {
  const isPromise = text[2] === '@';
  return { kind: 'omitted', target: readTarget(text.slice(isPromise ? 3 : 2)), isPromise };
}

function readResponseOnly(text: string): DollarForm | undefined {
  switch (text[1]) {
    case undefined:
      // `"$"` as an array's first item marks an element; anywhere else it is this symbol.
      return { kind: 'symbol', name: 'react.transitional.element' };
    case 'L':
      return toTarget('lazy', text, 2);
    case 'S':
      return { kind: 'symbol', name: text.slice(2) };
    case 'w':
      return { kind: 'undefined' };
    case 'Z':
      return { kind: 'error', target: readTarget(text.slice(2)) };
    case 'P':
      return toTarget('constructor', text, 2);
    case 'E':
      return { kind: 'function-source', source: text.slice(2) };
    case 'Y':
      return readOmitted(text);
    default:
      return undefined;
  }
}

/** Streams and typed arrays. In a response these are rows, and the letter is the row's tag. */
function readRequestOnly(text: string): DollarForm | undefined {
  const rowTag = rowTagOf(text[1] ?? '');
  if (rowTag.body !== 'binary' && rowTag.body !== 'stream') return undefined;
  const target = readTarget(text.slice(2));
  if (!target) return { kind: 'unknown', text };
  return rowTag.body === 'binary'
    ? { kind: 'binary', type: rowTag.type, ...target }
    : { kind: 'stream', stream: rowTag.stream, ...target };
}

/** What a JSON string that begins with `$` stands for. Never throws. */
export function readDollar(text: string, direction: 'response' | 'request'): DollarForm {
  const own = direction === 'response' ? readResponseOnly(text) : readRequestOnly(text);
  return own ?? readShared(text) ?? toTarget('reference', text, 1);
}

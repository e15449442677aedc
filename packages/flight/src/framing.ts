import { rowTagAt } from './row-tags.ts';

/**
 * Flight is a sequence of rows, `id:` and then a model, a tag with text, or a tag with a length and bytes (row-tags.ts).
 * A network chunk may end anywhere, inside a character or a header too, so the framer is a state machine over bytes that
 * keeps what it needs of the unfinished row: its start and views of its pieces. Nothing is copied until a row's payload
 * is asked for. Ids and lengths are lower-case hex, 32 bits. React's client does not check that; this framer stops at the
 * first byte that is no hex digit and no end of the number, and says where. A blank line before a row is passed over and
 * said all the same: to React's client it is a digit of the next row's id.
 *
 * Source: processBinaryChunk in react-server-dom-webpack 19.3.1's clients.
 */
export type FramedRow = {
  id: number;
  /** Empty for a model. */
  tag: string;
  /** Offsets in the whole stream: of the header with blank lines before it, of the payload, and after the last byte (newline included). */
  start: number;
  payloadStart: number;
  payloadEnd: number;
  end: number;
  /** Views of the payload's pieces; see `joinPieces`. */
  pieces: readonly Uint8Array[];
};

/** How a stream ended: between rows, inside one, or at a byte that no row can have. */
export type FramingEnd =
  | { kind: 'clean'; at: number }
  | { kind: 'truncated'; at: number; rowStart: number }
  | { kind: 'malformed'; at: number; reason: string };

export type FramerOptions = {
  /** False for a caller that has all the bytes itself and needs no views of them: rows have no pieces then. */
  keepsPieces?: boolean;
};

export type Framer = {
  push: (chunk: Uint8Array) => void;
  /** May be called at any time: how the stream would end here. */
  end: () => FramingEnd;
};

/** More rows than any page has; each costs eight bytes of index, and a viewer must be able to list them. */
export const maxRows = 1_000_000;

/** Blank bytes before one row: whoever reads its id again goes through them. An editor leaves one or two. */
const maxBlankBytes = 100;

/** Whether a byte where a row should begin is a line end. */
export function isBlank(byte: number | undefined): boolean {
  return byte === newline || byte === carriageReturn;
}

const noPieces: readonly Uint8Array[] = [];
const colon = 0x3a;
const comma = 0x2c;
const newline = 0x0a;
const carriageReturn = 0x0d;

/** The value of a lower-case hex digit's byte, or -1. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}

export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  if (only && pieces.length === 1) return only;
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

type Phase = 'id' | 'tag' | 'length' | 'text' | 'bytes' | 'malformed';

/** @param blankLine the first between rows: after the last row it harms nobody */
function describeEnd(
  at: number,
  isBetweenRows: boolean,
  rowStart: number,
  blankLine: FramingEnd | undefined,
): FramingEnd {
  if (isBetweenRows) return blankLine ?? { kind: 'clean', at };
  return { kind: 'truncated', at, rowStart };
}

/** Calls `onRow` for each row whose last byte has come, in the order of the bytes. Never throws. */
export function createFramer(onRow: (row: FramedRow) => void, options: FramerOptions = {}): Framer {
  const keepsPieces = options.keepsPieces ?? true;
  let phase: Phase = 'id';
  let offset = 0;
  let rows = 0;
  let id = 0;
  let tag = '';
  let length = 0;
  let rowStart = 0;
  /** Where the id begins: after blank lines. */
  let idStart = 0;
  let payloadStart = 0;
  let pieces: Uint8Array[] = [];
  let malformed: FramingEnd | undefined;
  let blankLine: FramingEnd | undefined;

  function fail(at: number, reason: string): void {
    phase = 'malformed';
    malformed = { kind: 'malformed', at, reason };
  }

  function finish(payloadEnd: number, end: number, last: Uint8Array | undefined): void {
    if (rows === maxRows) return fail(rowStart, `more than ${maxRows} rows`);
    rows += 1;
    // After the last row it harms nobody.
    if (idStart > rowStart) blankLine ??= { kind: 'malformed', at: rowStart, reason: 'a blank line between rows' };
    if (last && last.length > 0) pieces.push(last);
    const row = {
      id,
      tag,
      start: rowStart,
      payloadStart,
      payloadEnd,
      end,
      pieces: pieces.length > 0 ? pieces : noPieces,
    };
    if (pieces.length > 0) pieces = [];
    phase = 'id';
    id = 0;
    tag = '';
    length = 0;
    rowStart = end;
    idStart = end;
    onRow(row);
  }

  function readId(byte: number, at: number): void {
    if (at === idStart && isBlank(byte) && at - rowStart < maxBlankBytes) {
      idStart += 1;
      return;
    }
    if (byte === colon) {
      phase = 'tag';
      return;
    }
    const digit = hexDigit(byte);
    if (digit < 0) fail(at, 'a row’s id must be lower-case hex digits and a colon');
    else id = ((id << 4) | digit) >>> 0;
  }

  function readLength(byte: number, at: number): void {
    if (byte === comma) {
      phase = 'bytes';
      payloadStart = at + 1;
      // A row of no bytes ends with its comma; waiting for the next chunk would lose it at the end of the stream.
      if (length === 0) finish(at + 1, at + 1, undefined);
      return;
    }
    const digit = hexDigit(byte);
    if (digit < 0) fail(at, 'a row’s length must be lower-case hex digits and a comma');
    else length = length * 16 + digit;
    if (length > 0xffffffff) fail(at, 'a row’s length must fit 32 bits');
  }

  /** @returns whether the byte belongs to the header */
  function readTag(byte: number, at: number): boolean {
    const rowTag = rowTagAt(byte);
    tag = rowTag.tag;
    phase = rowTag.framing === 'length' ? 'length' : 'text';
    payloadStart = at + tag.length;
    return tag !== '';
  }

  /** @returns where in `chunk` the next row begins, or the chunk's length */
  function readPayload(chunk: Uint8Array, from: number): number {
    const taken = offset + from - payloadStart;
    const until = phase === 'text' ? chunk.indexOf(newline, from) : from + length - taken;
    if (until < 0 || until > chunk.length) {
      if (keepsPieces && from < chunk.length) pieces.push(chunk.subarray(from));
      return chunk.length;
    }
    const next = phase === 'text' ? until + 1 : until;
    finish(offset + until, offset + next, keepsPieces ? chunk.subarray(from, until) : undefined);
    return next;
  }

  function push(chunk: Uint8Array): void {
    let i = 0;
    while (i < chunk.length && phase !== 'malformed') {
      const byte = chunk[i] ?? 0;
      const at = offset + i;
      if (phase === 'id') readId(byte, at);
      else if (phase === 'length') readLength(byte, at);
      else if (phase === 'tag') {
        if (!readTag(byte, at)) continue;
      } else {
        i = readPayload(chunk, i);
        continue;
      }
      i += 1;
    }
    offset += chunk.length;
  }

  return {
    push,
    end: () => malformed ?? describeEnd(offset, phase === 'id' && offset === idStart, rowStart, blankLine),
  };
}

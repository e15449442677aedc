import { countBefore } from './count-before.ts';
import type { Flight } from './flight.ts';
import { idStart, readHeader } from './row-index.ts';
import { jsonStart, rowTagOf } from './row-tags.ts';
import {
  arrayKind,
  codedDollarKind,
  codedKeyKind,
  dollarKind,
  elementKind,
  emptyArrayKind,
  emptyObjectKind,
  endAt,
  isStringKind,
  keyKind,
  kindAt,
  nextAt,
  numberKind,
  objectKind,
  startAt,
  stepAt,
} from './tape.ts';

/**
 * What the bytes of a row are, token by token, for who shows them: the framing (id, tag, length, line end), then the JSON's
 * keys, strings, numbers and brackets. Tokens are read for a range of bytes, so that a window of a row of 5 MB costs that
 * window. A large row gets an index of its tape at the first question: without one, each window would begin at its start.
 */
export type Token = {
  kind: TokenKind;
  /** Its bytes, `[start, end)`, counted from the start of the flight. Strings with their quotes. */
  start: number;
  end: number;
};

export type TokenKind =
  | 'id'
  | 'tag'
  | 'length'
  /** The letter of a hint. */
  | 'code'
  /** The newline after a row that has no length. */
  | 'line-end'
  | 'key'
  | 'string'
  /** A string that begins with `$` and stands for something else. */
  | 'form'
  /** The `"$"` with which an element begins. */
  | 'mark'
  | 'number'
  /** `null`, `true`, `false`. */
  | 'word'
  /** The bracket that opens an array or an object; both brackets of an empty one. */
  | 'open'
  /** A body that is not JSON, or broken JSON. */
  | 'text'
  | 'bytes';

const colon = 0x3a;

/** The tokens of the row with this number that have bytes in `[from, to)`, in order; of the whole row without a range. */
export function readTokens(flight: Flight, row: number, from = 0, to = Infinity): Token[] {
  const tokens: Token[] = [];
  const { tag, start, end, payloadStart, payloadEnd } = readHeader(flight.rows, row);
  function add(kind: TokenKind, tokenStart: number, tokenEnd: number): void {
    const isWithin = tokenStart < to && tokenEnd > from;
    if (isWithin && tokenStart < tokenEnd) tokens.push({ kind, start: tokenStart, end: tokenEnd });
  }
  const idEnd = flight.bytes.indexOf(colon, start);
  add('text', start, idStart(flight.rows, row));
  add('id', idStart(flight.rows, row), idEnd);
  add('tag', idEnd + 1, idEnd + 1 + tag.length);
  const rowTag = rowTagOf(tag);
  if (rowTag.framing === 'length') add('length', idEnd + 2, payloadStart - 1);
  const model = flight.rows.models[row] ?? 0;
  if (model === 0) {
    const isBinary = rowTag.body === 'binary' || rowTag.body === 'bytes';
    add(isBinary ? 'bytes' : 'text', payloadStart, payloadEnd);
  } else {
    const json = jsonStart(rowTag, payloadStart, payloadEnd);
    add('code', payloadStart, json);
    addJsonTokens(flight, model - 1, { from, to }, add);
  }
  if (rowTag.framing === 'line') add('line-end', payloadEnd, end);
  return tokens;
}

type Range = { from: number; to: number };

function addJsonTokens(
  flight: Flight,
  root: number,
  range: Range,
  add: (kind: TokenKind, start: number, end: number) => void,
) {
  const { tape, bytes } = flight;
  const end = nextAt(tape, root);
  let isMark = false;
  for (let at = findStart(flight, root, range.from); at < end; at = stepAt(tape, at)) {
    const kind = kindAt(tape, at);
    const start = startAt(tape, at);
    if (start >= range.to) break;
    const tokenKind = toTokenKind(kind);
    if (tokenKind) add(isMark ? 'mark' : tokenKind, start, isOpening(kind) ? start + 1 : endAt(tape, at, bytes));
    isMark = kind === elementKind;
  }
}

function isOpening(kind: number): boolean {
  return kind === arrayKind || kind === objectKind || kind === elementKind;
}

/** Returns undefined for what only ends a container on the tape. */
function toTokenKind(kind: number): TokenKind | undefined {
  if (kind === keyKind || kind === codedKeyKind) return 'key';
  if (kind === dollarKind || kind === codedDollarKind) return 'form';
  if (isStringKind(kind)) return 'string';
  if (kind === numberKind) return 'number';
  if (kind < numberKind) return 'word';
  return isOpening(kind) || kind === emptyArrayKind || kind === emptyObjectKind ? 'open' : undefined;
}

/** Steps of the tape between two entries of a row's index. A window walks at most twice as many before its first token. */
const indexStep = 256;

const indexes = new WeakMap<Flight, Map<number, Uint32Array>>();

/** Every 256th place of a row's tape. 5 MB of JSON have about a million places, so 16 kB. */
function readIndex(flight: Flight, root: number): Uint32Array {
  const ofFlight = indexes.get(flight) ?? new Map<number, Uint32Array>();
  indexes.set(flight, ofFlight);
  const known = ofFlight.get(root);
  if (known) return known;
  const { tape } = flight;
  const places: number[] = [];
  const end = nextAt(tape, root);
  let step = 0;
  for (let at = root; at < end; at = stepAt(tape, at)) if (step++ % indexStep === 0) places.push(at);
  const index = Uint32Array.from(places);
  ofFlight.set(root, index);
  return index;
}

/** A place of the row's tape before the token that holds the byte `from`; the first when there is none. */
function findStart(flight: Flight, root: number, from: number): number {
  if (from <= startAt(flight.tape, root)) return root;
  const index = readIndex(flight, root);
  const count = countBefore(index.length, (token) => startAt(flight.tape, index[token] ?? 0) < from);
  // One place earlier: what stands before a string tells whether it is an element's mark.
  return index[count - 2] ?? root;
}

/**
 * The table of row tags: all that is known of the byte after a row's `id:`, one entry for each tag. Whoever frames, reads,
 * counts, names or colours rows looks here, so that a new tag is one entry, and a decoder in row.ts when its body is of a
 * new kind.
 *
 * React's client looks at that one byte (processBinaryChunk in react-server-dom-webpack, the same in 19.0 to 19.3 and in
 * every build):
 *
 * - a length tag: `tag hexLength , bytes`, and no newline after them;
 * - another capital letter, `#`, `r` or `x`: `tag text newline`;
 * - anything else is the first byte of a JSON model that runs to the newline.
 *
 * What the tags mean: processFullStringRow and processFullBinaryRow of the same file.
 */
export type RowTag = RowEntry & BodyFacts;

type RowEntry = RowBody & {
  /** The letter; empty for a model. */
  readonly tag: string;
  readonly framing: 'line' | 'length';
  /** What the row is there for. The viewer has a colour for each. */
  readonly role: RowRole;
  /** Whether `$id` can mean the row. Others speak about the row with their id, or about none. */
  readonly isReferable: boolean;
  /** For people. */
  readonly name: string;
  /** Whether it closes the stream with its id. */
  readonly endsStream?: true;
  /** The first line of React that writes it; undefined for 19.0 and for tags of no release. */
  readonly since?: '19.2' | '19.3';
};

export type RowRole =
  | 'model'
  /** A client component's module. */
  | 'module'
  | 'text'
  | 'binary'
  /** The start of a stream or an async iterable, a piece of bytes, the end. Its other pieces are models and texts. */
  | 'stream'
  | 'error'
  | 'hint'
  /** What only a development server writes. */
  | 'debug'
  | 'other';

/** How a row's body is read: row.ts has a decoder for each kind. */
type RowBody =
  | { readonly body: 'json'; readonly kind: JsonRowKind }
  | { readonly body: 'end'; readonly kind: 'stream-end' | 'postpone' }
  | { readonly body: 'binary'; readonly type: BinaryType; readonly bytesPerElement: number }
  | { readonly body: 'stream'; readonly stream: StreamKind }
  | { readonly body: Exclude<keyof typeof bodies, 'json' | 'end' | 'binary' | 'stream'> };

/** What a row of nothing but JSON is called. */
export type JsonRowKind = 'module' | 'debug' | 'io' | 'console';

export type StreamKind = 'readable-stream' | 'byte-stream' | 'async-iterable' | 'async-iterator';

/** What the raw bytes of a length-prefixed row are in JavaScript. */
export type BinaryType =
  | 'ArrayBuffer'
  | 'Int8Array'
  | 'Uint8Array'
  | 'Uint8ClampedArray'
  | 'Int16Array'
  | 'Uint16Array'
  | 'Int32Array'
  | 'Uint32Array'
  | 'Float32Array'
  | 'Float64Array'
  | 'BigInt64Array'
  | 'BigUint64Array'
  | 'DataView';

type BodyFacts = {
  /** Where its JSON begins, counted from the body's first byte; undefined for a body that is not JSON. */
  readonly jsonFrom?: number;
  /** Whether a row without a body means something too. */
  readonly mayBeEmpty?: true;
  /** What a body that is not JSON holds; undefined when it should hold nothing. */
  readonly holds?: 'text' | 'binary' | 'number';
};

/** The kinds of bodies. */
const bodies = {
  /** A value. Empty: it will never come (development says so, production sends nothing). */
  model: { jsonFrom: 0, mayBeEmpty: true },
  json: { jsonFrom: 0 },
  /** One letter of React's, and JSON. */
  hint: { jsonFrom: 1 },
  error: { jsonFrom: 0 },
  /** JSON, or nothing. */
  end: { jsonFrom: 0, mayBeEmpty: true },
  text: { holds: 'text' },
  /** A piece of a byte stream. */
  bytes: { holds: 'binary' },
  binary: { holds: 'binary' },
  stream: {},
  /** A number in decimal. */
  time: { holds: 'number' },
  /** Of a tag that is in no entry: a value when it is JSON, as React's client reads it. */
  unknown: { jsonFrom: 0 },
} satisfies Record<string, BodyFacts>;

const line = { framing: 'line', isReferable: true } as const;
const length = { framing: 'length', isReferable: true } as const;

function define(entry: RowEntry): RowTag {
  return { ...bodies[entry.body], ...entry };
}

function typedArray(tag: string, type: BinaryType, bytesPerElement: number): RowTag {
  return define({ ...length, tag, body: 'binary', type, bytesPerElement, role: 'binary', name: type });
}

/** How many bytes one number of a typed array has. */
export function bytesPerElementOf(type: BinaryType): number {
  const found = rowTags.find((rowTag) => rowTag.body === 'binary' && rowTag.type === type);
  return found?.body === 'binary' ? found.bytesPerElement : 1;
}

function stream(tag: string, kind: StreamKind, name: string): RowTag {
  return define({ ...line, tag, body: 'stream', stream: kind, role: 'stream', name });
}

/** Rows that speak about another row, or about none. */
const about = { ...line, isReferable: false } as const;
const model = define({ ...line, tag: '', body: 'model', role: 'model', name: 'model' });

export const rowTags: readonly RowTag[] = [
  model,
  define({ ...line, tag: 'I', body: 'json', kind: 'module', role: 'module', name: 'client module' }),
  define({ ...about, tag: 'H', body: 'hint', role: 'hint', name: 'hint' }),
  define({ ...line, tag: 'E', body: 'error', role: 'error', name: 'error', endsStream: true }),
  define({ ...length, tag: 'T', body: 'text', role: 'text', name: 'text' }),
  stream('R', 'readable-stream', 'stream'),
  stream('r', 'byte-stream', 'byte stream'),
  stream('X', 'async-iterable', 'async iterable'),
  stream('x', 'async-iterator', 'async iterator'),
  define({
    ...length,
    tag: 'b',
    isReferable: false,
    body: 'bytes',
    role: 'stream',
    name: 'stream bytes',
    since: '19.3',
  }),
  define({ ...about, tag: 'C', body: 'end', kind: 'stream-end', role: 'stream', name: 'stream end', endsStream: true }),
  define({ ...about, tag: 'D', body: 'json', kind: 'debug', role: 'debug', name: 'debug' }),
  define({ ...line, tag: 'J', body: 'json', kind: 'io', role: 'debug', name: 'awaited I/O', since: '19.2' }),
  define({ ...about, tag: 'N', body: 'time', role: 'debug', name: 'time origin', since: '19.2' }),
  define({ ...about, tag: 'W', body: 'json', kind: 'console', role: 'debug', name: 'console' }),
  // Of experimental builds only.
  define({ ...line, tag: 'P', body: 'end', kind: 'postpone', role: 'other', name: 'postponed' }),
  typedArray('A', 'ArrayBuffer', 1),
  typedArray('O', 'Int8Array', 1),
  typedArray('o', 'Uint8Array', 1),
  typedArray('U', 'Uint8ClampedArray', 1),
  typedArray('S', 'Int16Array', 2),
  typedArray('s', 'Uint16Array', 2),
  typedArray('L', 'Int32Array', 4),
  typedArray('l', 'Uint32Array', 4),
  typedArray('G', 'Float32Array', 4),
  typedArray('g', 'Float64Array', 8),
  typedArray('M', 'BigInt64Array', 8),
  typedArray('m', 'BigUint64Array', 8),
  typedArray('V', 'DataView', 1),
];

/** The entry of each byte after `id:`, for the framer, which asks for every row. */
const tagOfByte: RowTag[] = Array.from({ length: 256 }, () => model);
for (const tag of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ#rx') {
  // What React's client takes for a tag although no line of React writes it.
  tagOfByte[tag.charCodeAt(0)] = define({ ...line, tag, body: 'unknown', role: 'other', name: `tag ${tag}` });
}
for (const entry of rowTags) if (entry.tag !== '') tagOfByte[entry.tag.charCodeAt(0)] = entry;

/** @param byte the first after `id:`; one that is no tag is the first of a model */
export function rowTagAt(byte: number): RowTag {
  return tagOfByte[byte] ?? model;
}

/** @param tag the letter, or nothing for a model */
export function rowTagOf(tag: string): RowTag {
  return tag === '' ? model : rowTagAt(tag.charCodeAt(0));
}

/** Whether a row's JSON is what the page is made of: a model, a module, a stream's end. Not an error, a hint, debug data. */
export function isOfPage({ role }: RowTag): boolean {
  return role === 'model' || role === 'module' || role === 'stream';
}

/** Whether React's client reads a row's JSON as soon as it comes. A model's waits until somebody asks for it. */
export function isReadAtOnce(rowTag: RowTag): boolean {
  const { role } = rowTag;
  const isConsole = rowTag.body === 'json' && rowTag.kind === 'console';
  return role === 'module' || role === 'hint' || role === 'error' || isConsole;
}

/** Where a row's JSON begins, or -1 for a row that has none. */
export function jsonStart({ jsonFrom, mayBeEmpty }: RowTag, payloadStart: number, payloadEnd: number): number {
  if (jsonFrom === undefined || (mayBeEmpty && payloadStart === payloadEnd)) return -1;
  return payloadStart + jsonFrom;
}

import { decodeFlight } from './decode-flight.ts';
import { readDollar } from './dollar.ts';
import type { Flight } from './flight.ts';
import { joinPieces } from './framing.ts';
import { readReplyBody, type ReplyFile, type ReplyPart } from './multipart.ts';
import { readRowValue } from './row.ts';
import { codedDollarKind, dollarKind, kindAt } from './tape.ts';
import { findEntry, type Value } from './value.ts';
import { visitFlight } from './visit-flight.ts';

/**
 * The other direction: a server action's arguments, as React's `encodeReply` writes them. Either a string (the JSON of
 * the arguments), or form data whose fields are parts: `0` the arguments, `1`, `2` … what they refer to, with the numbers
 * of fields decimal and of references hex (`"10"` is `$ha`). A file is the bytes of a typed array or a blob, `S<n>` an item
 * of stream n (`C` closes it), `_<n>_<name>` a field of FormData n. A form sent without JavaScript has the user's fields
 * as they are, and one of `$ACTION_ID_<id>` (no bound arguments) or `$ACTION_REF_<n>`, whose parts are `$ACTION_<n>:0` …
 *
 * The parts are written down as rows of a response, so that all that reads a response reads these too: fields with their
 * ids in hex, files as `o` rows, FormData as the rows a response would have. Byte offsets are of that text, not of the
 * request's body.
 *
 * Sources: processReply (clients) and decodeReply, decodeAction (servers) of react-server-dom-webpack 19.3.1.
 */
export type Reply = {
  /** The parts as rows; `flight.direction` is `request`. */
  flight: Flight;
  /** What React's server would decode: the arguments of a call, or the bound ones of a form. */
  root: Value | undefined;
  action: ReplyAction;
  /** Files by the id of their row. */
  files: ReadonlyMap<number, ReplyFile>;
  /** Fields that are no part of the reply: what the user typed into a form sent without JavaScript. */
  fields: readonly ReplyPart[];
};

type ReplyAction =
  /** A call names its action in a header or the URL. */
  { kind: 'call' } | { kind: 'form'; id: string | undefined; key: string | undefined };

/** React's server reads a million slots; a body of 1 MiB has room for fewer fields than this. */
const maxParts = 100_000;

const encoder = new TextEncoder();

type Rows = { pieces: Uint8Array[]; files: Map<number, ReplyFile>; nextId: number };

/** One row of text. Line ends within JSON are space; a first byte that no JSON has must not be taken for a tag. */
function addModel(rows: Rows, id: number, json: string, tag = ''): void {
  const text = json.replaceAll(/[\r\n]/g, ' ');
  const isJson = tag !== '' || /^["[{\d\-tfn]/.test(text);
  rows.pieces.push(encoder.encode(`${id.toString(16)}:${tag}${isJson ? '' : ' '}${text}\n`));
}

function addFile(rows: Rows, id: number, file: ReplyFile): void {
  rows.files.set(id, file);
  rows.pieces.push(encoder.encode(`${id.toString(16)}:o${file.data.length.toString(16)},`), file.data);
}

function addStreamItem(rows: Rows, id: number, text: string): void {
  if (text.startsWith('C')) addModel(rows, id, text.slice(1), 'C');
  else addModel(rows, id, text);
}

const partName = /^(S?)(\d{1,9})$/;
const entryName = /^_(\d{1,9})_([^]*)$/;

/** Whether a part may refer to a stream or to FormData; a string may hold the same text, so only decoding tells. */
const containerHint = /"(?:\$[RrXxK\\]|\\u0024)/;

/**
 * The streams and FormData that the parts refer to, by id with their letter. A request says what a stream is where it is
 * used (`"$R1"`), a response in a row of its own; one without items, and FormData without fields, have no part at all.
 */
function findContainers(pieces: readonly Uint8Array[]): Map<number, string> {
  const flight = decodeFlight(joinPieces(pieces), { direction: 'request' });
  const containers = new Map<number, string>();
  visitFlight(flight, {
    text: (text, _row, at) => {
      const kind = kindAt(flight.tape, at);
      if (kind !== dollarKind && kind !== codedDollarKind) return;
      const form = readDollar(text, 'request');
      if (form.kind === 'stream' || form.kind === 'form-data') containers.set(form.id, text.slice(1, 2));
    },
  });
  return containers;
}

/** Adds the rows that start streams before all others, and forms that have no fields. */
function addContainers(rows: Rows, forms: Map<number, ReplyPart[]>): void {
  const starts: Uint8Array[] = [];
  for (const [id, letter] of findContainers(rows.pieces)) {
    // Files of FormData get the ids after these too.
    rows.nextId = Math.max(rows.nextId, id + 1);
    if (letter !== 'K') starts.push(encoder.encode(`${id.toString(16)}:${letter}\n`));
    else if (!forms.has(id)) forms.set(id, []);
  }
  rows.pieces = [...starts, ...rows.pieces];
}

function escapeString(text: string): string {
  return text.startsWith('$') ? `$${text}` : text;
}

/** The rows of FormData entries; returns them to be written as models once their files have ids. */
function addForms(rows: Rows, forms: ReadonlyMap<number, ReplyPart[]>): void {
  for (const [id, entries] of forms) {
    const json = entries.map(({ name, value }) => {
      if (typeof value === 'string') return [escapeString(name), escapeString(value)];
      const fileId = rows.nextId++;
      addFile(rows, fileId, value);
      return [escapeString(name), `$B${fileId.toString(16)}`];
    });
    addModel(rows, id, JSON.stringify(json));
  }
}

function addEntry(forms: Map<number, ReplyPart[]>, id: number, entry: ReplyPart): void {
  const entries = forms.get(id);
  if (entries) entries.push(entry);
  else forms.set(id, [entry]);
}

type Parts = { rows: Rows; rest: ReplyPart[] };

function readParts(parts: readonly ReplyPart[], prefix: string): Parts {
  const rows: Rows = { pieces: [], files: new Map(), nextId: 1 };
  const rest: ReplyPart[] = [];
  const forms = new Map<number, ReplyPart[]>();
  let mayContain = false;
  for (const part of parts) {
    const name = part.name.startsWith(prefix) ? part.name.slice(prefix.length) : '';
    const [, stream, decimal] = partName.exec(name) ?? [];
    const [, form, entry = ''] = entryName.exec(name) ?? [];
    const id = Number(decimal ?? form);
    if (decimal === undefined && form === undefined) {
      rest.push(part);
      continue;
    }
    rows.nextId = Math.max(rows.nextId, id + 1);
    if (typeof part.value === 'string' && containerHint.test(part.value)) mayContain = true;
    if (form !== undefined) addEntry(forms, id, { name: entry, value: part.value });
    else if (typeof part.value !== 'string') addFile(rows, id, part.value);
    else if (stream === 'S') addStreamItem(rows, id, part.value);
    else addModel(rows, id, part.value);
  }
  if (mayContain) addContainers(rows, forms);
  addForms(rows, forms);
  return { rows, rest };
}

/** The prefix of a form's parts and what names its action. */
function findAction(parts: readonly ReplyPart[]): { prefix: string; id: string | undefined } | undefined {
  let found: { prefix: string; id: string | undefined } | undefined;
  // React's server takes the last of several.
  for (const { name } of parts) {
    if (name.startsWith('$ACTION_REF_')) found = { prefix: `$ACTION_${name.slice(12)}:`, id: undefined };
    else if (name.startsWith('$ACTION_ID_')) found = { prefix: '', id: name.slice(11) };
  }
  return found;
}

function readActionId(flight: Flight, root: Value | undefined): string | undefined {
  const id = root && findEntry(flight, root, 'id');
  return id?.kind === 'string' ? id.value : undefined;
}

function finish({ rows, rest }: Parts, action: (flight: Flight, root: Value | undefined) => ReplyAction): Reply {
  const files = new Map([...rows.files].map(([id, { filename, type }]) => [id, { filename, type }]));
  const flight = decodeFlight(joinPieces(rows.pieces), { direction: 'request', files });
  const root = flight.root === undefined ? undefined : readRowValue(flight, flight.root);
  return { flight, root, action: action(flight, root), files: rows.files, fields: rest };
}

function readForm(parts: readonly ReplyPart[], { prefix, id }: { prefix: string; id: string | undefined }): Reply {
  const key = parts.find(({ name }) => name === '$ACTION_KEY')?.value;
  const isBound = id === undefined;
  const own = isBound ? parts : [];
  const read = readParts(own, prefix);
  const fields = parts.filter(({ name }) => !name.startsWith('$ACTION_'));
  return {
    ...finish({ ...read, rest: fields }, (flight, root) => ({
      kind: 'form',
      id: id ?? readActionId(flight, root),
      key: typeof key === 'string' ? key : undefined,
    })),
    fields,
  };
}

/**
 * Decodes a server action's request: its body as bytes (JSON, or form data as a browser writes it), as text, or as the
 * parts that somebody else has cut it into. Never throws: `flight.state` says what is wrong. Parts after the first 100,000
 * are not read.
 */
export function decodeReply(input: Uint8Array | string | readonly ReplyPart[]): Reply {
  const body = input instanceof Uint8Array ? readReplyBody(input) : input;
  const parts = typeof body === 'string' ? [{ name: '0', value: body }] : body.slice(0, maxParts);
  const action = findAction(parts);
  if (action) return readForm(parts, action);
  return finish(readParts(parts, ''), () => ({ kind: 'call' }));
}

/** Whether text is what a reply's string form may be: the JSON of an array. */
export function looksLikeReply(text: string): boolean {
  return /^\s*\[/.test(text) && decodeReply(text).flight.state.kind !== 'malformed';
}

import type { ReplyFile } from '../../multipart.ts';
import type { Target } from '../../dollar.ts';
import type { Flight } from '../../flight.ts';
import { readMembers } from '../../members.ts';
import { readModuleMetadata } from '../../modules.ts';
import { resolveTarget, resolveValue } from '../../resolve.ts';
import { findRowById, readRow, type Row } from '../../row.ts';
import { readStreamItems, readStreams, type FlightStream } from '../../streams.ts';
import { findEntry, readElement, readEntries, readItems, type Value } from '../../value.ts';
import {
  describeBytes,
  describeModuleExport,
  describeText,
  isUndefined,
  toPromise,
  type Description,
} from './describe-react.ts';

/** The comparable form (describe-react.ts) of what this project's decoder reads. */
type Visit = {
  flight: Flight;
  /** Of a reply, by the id of their rows. */
  files: ReadonlyMap<number, ReplyFile>;
  streams: ReadonlyMap<number, FlightStream>;
  numbers: Map<number, number>;
  /** Descriptions of streams by id, and of iterators by place. */
  drained: Map<string, Description>;
};

export function describeFlight(flight: Flight, files: ReadonlyMap<number, ReplyFile> = new Map()): Description {
  const streams = readStreams(flight);
  return describePromise({ id: 0, path: [] }, { flight, files, streams, numbers: new Map(), drained: new Map() });
}

/** The action that a form without JavaScript names, when its arguments are bound: part 0 is the reference. */
export function describeBoundAction(flight: Flight, files: ReadonlyMap<number, ReplyFile>): Description {
  const streams = readStreams(flight);
  const visit = { flight, files, streams, numbers: new Map(), drained: new Map() };
  return describeAction({ id: 0, path: [] }, visit);
}

type Outcome = { kind: 'described'; value: Description } | { kind: 'failed'; error: Description };

/**
 * A plain reference to an error fails the whole row that holds it, or the element: React's client cannot finish it. The
 * decoder shows the rest all the same; here it is told as React has it.
 */
class RowFailure extends Error {
  error: Description;
  constructor(error: Description) {
    super('the row refers to an error');
    this.error = error;
  }
}

/** What `describeParts` describes, or the error its row fails with; React numbers nothing of a failed row. */
function attempt(visit: Visit, describeParts: () => Description): Outcome {
  const numbers = [...visit.numbers];
  try {
    return { kind: 'described', value: describeParts() };
  } catch (error) {
    if (!(error instanceof RowFailure)) throw error;
    visit.numbers.clear();
    for (const [at, number] of numbers) visit.numbers.set(at, number);
    return { kind: 'failed', error: error.error };
  }
}

function describePromise(target: Target, visit: Visit): Description {
  const outcome = describeTarget(target, visit);
  return outcome.kind === 'failed' ? { rejected: outcome.error } : toPromise(outcome.value);
}

function describeLazy(target: Target, visit: Visit): Description {
  const outcome = describeTarget(target, visit);
  return outcome.kind === 'failed' ? { throws: outcome.error } : outcome.value;
}

function describeTarget(target: Target, visit: Visit): Outcome {
  const found = resolveTarget(visit.flight, target);
  switch (found.kind) {
    case 'value':
      return attempt(visit, () => describeValue(found.value, visit));
    case 'row':
      if (found.row.kind === 'error') return { kind: 'failed', error: describeDigest(found.row.digest, visit) };
      return attempt(visit, () => describeRow(found.row, visit));
    case 'pending':
    case 'invalid':
      // React's client gives up what is still awaited when the connection ends.
      return { kind: 'failed', error: describeDigest(undefined, visit) };
    default:
      return found satisfies never;
  }
}

/** Only a response has digests to tell failures apart. */
function describeDigest(digest: string | undefined, { flight }: Visit): Description {
  return flight.direction === 'response' ? { digest: digest ?? null } : 'failed';
}

function describeRow(row: Row, visit: Visit): Description {
  switch (row.kind) {
    case 'model':
      return describeValue(row.value, visit);
    case 'text':
      return describeText(row.text);
    case 'binary':
      return describeBytes(row.type, row.data);
    case 'module': {
      const metadata = readModuleMetadata(visit.flight, row.value);
      if (!metadata) throw new Error('a module row without a module');
      return describeModuleExport(metadata.module, metadata.name);
    }
    case 'stream-start': {
      const stream = visit.streams.get(row.id);
      if (!stream) throw new Error(`stream ${row.id} is not listed`);
      return describeOnce(`stream ${row.id}`, visit, () => describeStream(stream, visit));
    }
    default:
      throw new Error(`a value refers to a row of kind ${row.kind}`);
  }
}

function describeOnce(name: string, visit: Visit, drain: () => Description): Description {
  const known = visit.drained.get(name);
  if (known !== undefined) return known;
  visit.drained.set(name, { draining: true });
  const drained = drain();
  visit.drained.set(name, drained);
  return drained;
}

function describeStream(stream: FlightStream, visit: Visit): Description {
  switch (stream.stream) {
    case 'byte-stream': {
      const error = readStreamError(stream, visit);
      if (error) return { 'byte-stream': 'failed', error };
      const pieces = readStreamItems(visit.flight, stream).map((row) => readBytes(row, visit));
      return { 'byte-stream': Buffer.concat(pieces).toString('hex') };
    }
    case 'readable-stream': {
      const { items, end } = describeSequence(stream, visit);
      return end.kind === 'failed' ? { stream: 'failed', error: end.error } : { stream: items };
    }
    case 'async-iterable':
    case 'async-iterator': {
      const once = stream.stream === 'async-iterator';
      const { items, end } = describeSequence(stream, visit);
      return end.kind === 'failed' ? { items, once, throws: end.error } : { items, once, returns: end.value };
    }
    default:
      return stream.stream satisfies never;
  }
}

/** The items up to the first that fails, and the end: what it returned or failed with. */
function describeSequence(stream: FlightStream, visit: Visit): { items: Description[]; end: Outcome } {
  const items: Description[] = [];
  for (const row of readStreamItems(visit.flight, stream)) {
    const item = attempt(visit, () => describeRow(row, visit));
    if (item.kind === 'failed') return { items, end: item };
    items.push(item.value);
  }
  const error = readStreamError(stream, visit);
  if (error) return { items, end: { kind: 'failed', error } };
  const end = readStreamEnd(stream, visit);
  const result = end?.kind === 'stream-end' ? end.value : undefined;
  return { items, end: attempt(visit, () => (result ? describeValue(result, visit) : { undefined: true })) };
}

function readStreamError(stream: FlightStream, visit: Visit): Description | undefined {
  const end = readStreamEnd(stream, visit);
  if (end?.kind === 'error') return { digest: end.digest ?? null };
  return end ? undefined : { digest: null };
}

function readStreamEnd({ end }: FlightStream, { flight }: Visit) {
  return end === undefined ? undefined : readRow(flight, end);
}

function readBytes(row: Row, visit: Visit): Uint8Array {
  if (row.kind === 'bytes' || row.kind === 'binary') return row.data;
  // In a reply an item refers to the bytes.
  if (row.kind === 'model' && row.value.kind === 'binary') return readFile(row.value.id, visit);
  throw new Error(`a byte stream holds a row of kind ${row.kind}`);
}

/** The bytes of a row that holds a file, a typed array or a piece of a blob. */
function readFile(id: number, { flight }: Visit): Uint8Array {
  const row = findRowById(flight, id);
  if (row?.kind !== 'binary') throw new Error(`row ${id} should be bytes and is ${row?.kind ?? 'missing'}`);
  return row.data;
}

function describeValue(value: Value, visit: Visit): Description {
  switch (value.kind) {
    case 'null':
      return null;
    case 'boolean':
      return value.value;
    case 'string':
      return describeText(value.value);
    case 'undefined':
      return { undefined: true };
    case 'number':
      return { number: Object.is(value.value, -0) ? '-0' : String(value.value) };
    case 'bigint':
      return { bigint: String(BigInt(value.digits)) };
    case 'date':
      return { date: String(Number(new Date(value.iso))) };
    case 'symbol':
      return { symbol: value.name };
    case 'error':
      return describeError(value, visit);
    case 'temporary':
      return { temporary: true };
    case 'element':
      return describeElement(value, visit);
    case 'reference': {
      const outcome = describeTarget(value, visit);
      if (outcome.kind === 'failed') throw new RowFailure(outcome.error);
      return outcome.value;
    }
    case 'lazy':
      return describeLazy(value, visit);
    case 'promise':
      return describePromise(value, visit);
    case 'server-reference':
      return describeAction(value, visit);
    case 'blob':
    case 'form-data':
    case 'iterator':
      return describeOnce(`${value.kind} ${value.at}`, visit, () => describeOutlined(value, visit));
    case 'array':
    case 'object':
    case 'map':
    case 'set':
      return describeContainer(value, visit);
    case 'binary':
      return describeBytes(value.type, readFile(value.id, visit));
    case 'stream': {
      const stream = visit.streams.get(value.id);
      if (!stream) throw new Error(`stream ${value.id} is not listed`);
      return describeOnce(`stream ${value.id}`, visit, () => describeStream(stream, visit));
    }
    case 'never':
    case 'constructor':
    case 'function-source':
    case 'omitted':
    case 'unknown':
      throw new Error(`a value of kind ${value.kind}`);
    default:
      return value satisfies never;
  }
}

/** Numbered by its place, as React's are by their identity: a reference leads to the same place. */
function describeContainer(value: Value & { kind: 'array' | 'object' | 'map' | 'set' }, visit: Visit): Description {
  const known = visit.numbers.get(value.at);
  if (known !== undefined) return { same: known };
  visit.numbers.set(value.at, visit.numbers.size);
  switch (value.kind) {
    case 'array':
      return { array: describeItems(value, visit) };
    case 'object':
      return { object: describeMembers(value, visit) };
    case 'set':
      return {
        set: keepUnique(
          readOutlined(value, visit).map((item) => [item]),
          visit,
        ).flat(),
      };
    case 'map':
      return { map: keepUnique(readPairs(value, visit), visit) };
    default:
      return value satisfies never;
  }
}

/** Of development: in production there is nothing. Numbered by its place, as containers are. */
function describeError(value: Value & { kind: 'error' }, visit: Visit): Description {
  const known = visit.numbers.get(value.at);
  if (known !== undefined) return { same: known };
  visit.numbers.set(value.at, visit.numbers.size);
  const { flight } = visit;
  const described: { [tag: string]: Description } = { error: '' };
  for (const { name, part } of readMembers({ flight, came: flight.rows.count, kind: 'value', value })) {
    if (part.kind !== 'value') continue;
    if (name === 'cause' || name === 'errors') described[name] = describeValue(part.value, visit);
    if (name !== 'message') continue;
    described['error'] = describeValue(part.value, visit);
    // React says something of its own then, as in production.
    if (described['error'] === '') return described;
  }
  return described;
}

function describeOutlinedItems(target: Target, visit: Visit) {
  return readOutlined(target, visit).map((item) => describeValue(item, visit));
}

function readPairs(target: Target, visit: Visit) {
  return readOutlined(target, visit).map((pair) => readItems(visit.flight, expectValue(pair, visit)));
}

/**
 * The members of a Map (key and value) or a Set (its key alone). A component of the server may give two keys the same
 * value, and one of them is kept: the first key with the last value.
 */
function keepUnique(members: readonly Value[][], visit: Visit): Description[][] {
  const kept = new Map<string, Value[]>();
  for (const [index, [key, ...rest]] of members.entries()) {
    if (!key) throw new Error('a member without a key');
    const name = nameKey(key, visit) ?? `object ${index}`;
    kept.set(name, [kept.get(name)?.[0] ?? key, ...rest]);
  }
  return [...kept.values()].map((member) => member.map((part, index) => describeKey(part, index, visit)));
}

/** A Map and a Set know no -0, in place or in a row of its own. A lazy value is an object, whatever it gives. */
function describeKey(part: Value, index: number, visit: Visit): Description {
  const found = index === 0 ? resolveValue(visit.flight, part) : undefined;
  const isZero = found?.kind === 'value' && found.value.kind === 'number' && found.value.value === 0;
  return isZero ? { number: '0' } : describeValue(part, visit);
}

const comparedKinds = ['null', 'boolean', 'string', 'number', 'bigint', 'undefined', 'symbol', 'reference'];

/** The same for keys that are the same in the browser; none for objects, and a lazy value is one. */
function nameKey(key: Value, visit: Visit): string | undefined {
  if (!comparedKinds.includes(key.kind)) return undefined;
  // Where the key stands it is described again, and numbered.
  const aside = { ...visit, numbers: new Map(visit.numbers), drained: new Map(visit.drained) };
  const outcome = attempt(aside, () => describeKey(key, 0, aside));
  return outcome.kind === 'described' && isSameEverywhere(outcome.value) ? JSON.stringify(outcome.value) : undefined;
}

/** Values that are equal wherever they stand: primitive ones, and what a module exports. */
const equalTags = ['number', 'bigint', 'undefined', 'symbol', 'text', 'module'];

function isSameEverywhere(key: Description) {
  if (typeof key !== 'object' || key === null) return true;
  return equalTags.some((tag) => tag in key);
}

function describeItems(value: Value, visit: Visit) {
  return readItems(visit.flight, value).map((item) => describeValue(item, visit));
}

/** In the order of names, the last of equal ones; React's client drops `__proto__` and what is undefined. */
function describeMembers(value: Value, visit: Visit): Description[] {
  const members = new Map<string, Value>();
  for (const { key, value: member } of readEntries(visit.flight, value)) {
    if (key !== '__proto__') members.set(key, member);
  }
  return [...members.keys()]
    .sort()
    .map((key): [string, Value | undefined] => [key, members.get(key)])
    .map(([key, member]): [string, Description] => [key, member ? describeValue(member, visit) : null])
    .filter(([, described]) => !isUndefined(described));
}

function expectValue(value: Value, { flight }: Visit): Value {
  const found = resolveValue(flight, value);
  if (found.kind !== 'value') throw new Error(`a reference to a value ends at a ${found.kind}`);
  return found.value;
}

/** The items of the row that holds a Map's entries, a Set's items, and the like. */
function readOutlined(target: Target, visit: Visit): Value[] {
  const found = resolveTarget(visit.flight, target);
  if (found.kind !== 'value') throw new Error(`the row of a container is ${found.kind}`);
  return readItems(visit.flight, found.value);
}

function describeElement(value: Value, visit: Visit): Description {
  const { type, key, props } = readElement(visit.flight, value);
  if (!key || !props) throw new Error('an element without key or props');
  const outcome = attempt(visit, () => ({
    element: describeValue(type, visit),
    key: describeValue(key, visit),
    props: describeMembers(expectValue(props, visit), visit),
  }));
  return outcome.kind === 'failed' ? { throws: outcome.error } : outcome.value;
}

function describeAction(target: Target, visit: Visit): Description {
  const found = resolveTarget(visit.flight, target);
  const id = found.kind === 'value' ? findEntry(visit.flight, found.value, 'id') : undefined;
  const bound = found.kind === 'value' ? findEntry(visit.flight, found.value, 'bound') : undefined;
  if (!id || !bound) throw new Error('a server reference without id or bound arguments');
  const action = describeValue(id, visit);
  if (bound.kind === 'null') return { action, bound: [] };
  if (bound.kind !== 'promise') throw new Error(`bound arguments are a ${bound.kind}`);
  return { action, bound: readOutlined(bound, visit).map((argument) => describeValue(argument, visit)) };
}

function describeOutlined(value: Value & { kind: 'blob' | 'form-data' | 'iterator' }, visit: Visit): Description {
  switch (value.kind) {
    case 'iterator':
      return { iterator: describeOutlinedItems(value, visit) };
    case 'form-data':
      return { form: readPairs(value, visit).map((pair) => pair.map((item) => describeValue(item, visit))) };
    case 'blob':
      return visit.flight.direction === 'request' ? describeFile(value.id, visit) : describeBlob(value, visit);
    default:
      return value satisfies never;
  }
}

function describeBlob(value: Target, visit: Visit): Description {
  const [type, ...pieces] = readOutlined(value, visit);
  if (!type) throw new Error('a blob without a type');
  const bytes = pieces.map((piece) => {
    if (piece.kind !== 'reference') throw new Error(`a piece of a blob is a ${piece.kind}`);
    return readFile(piece.id, visit);
  });
  return { bytes: 'Blob', hex: Buffer.concat(bytes).toString('hex'), type: describeValue(type, visit) };
}

function describeFile(id: number, visit: Visit): Description {
  const file = visit.files.get(id);
  if (!file) throw new Error(`row ${id} is no file`);
  const hex = Buffer.from(file.data).toString('hex');
  return { bytes: 'Blob', hex, type: file.type, name: describeText(file.filename) };
}

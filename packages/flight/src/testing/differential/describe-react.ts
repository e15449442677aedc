import { isModuleExport } from './react-lines.ts';

/**
 * The comparable form of a value that React decoded: plain JSON, in which every kind of value has a tag of its own, so
 * that two descriptions are equal only when the values are.
 *
 * Waits for promises, reads streams to their end and looks through lazy values. What several places share is described
 * once and then named by its number (`same`); that shows cycles and identity. What can be read only once keeps its
 * description for the next place.
 */
export type Description = null | boolean | string | number | Description[] | { [tag: string]: Description };

export type DescribeOptions = {
  /** A file's name reaches a server; in a response there is none. */
  withFileNames: boolean;
  /** What a failure is compared by: the digest on the client, nothing more. */
  describeError(error: unknown): Description;
  /** Recognises what only this test knows: a server reference, a temporary reference. */
  describeKnown?(value: unknown, describe: (inner: unknown) => Promise<Description>): Promise<Description | undefined>;
};

type Visit = {
  options: DescribeOptions;
  numbers: Map<object, number>;
  drained: Map<object, Description>;
  depth: number;
};

/** Deeper than any plan; a value that goes on for ever ends here instead of filling the memory. */
const deepest = 400;

export async function describeReactValue(value: unknown, options: DescribeOptions): Promise<Description> {
  return describe(value, { options, numbers: new Map(), drained: new Map(), depth: 0 });
}

async function describe(value: unknown, outer: Visit): Promise<Description> {
  const visit = { ...outer, depth: outer.depth + 1 };
  if (visit.depth > deepest) throw new Error('a description is deeper than any plan');
  const known = await visit.options.describeKnown?.(value, (inner) => describe(inner, visit));
  if (known !== undefined) return known;
  switch (typeof value) {
    case 'string':
      return describeText(value);
    case 'boolean':
      return value;
    case 'undefined':
      return { undefined: true };
    case 'number':
      return { number: Object.is(value, -0) ? '-0' : String(value) };
    case 'bigint':
      return { bigint: String(value) };
    case 'symbol':
      return { symbol: Symbol.keyFor(value) ?? null };
    case 'function':
      if (isModuleExport(value)) return describeModuleExport(value.module, value.exported);
      throw new Error(`an unknown function: ${String(value)}`);
    case 'object':
      return value === null ? null : describeObject(value, visit);
    default:
      throw new Error(`an unknown type: ${typeof value}`);
  }
}

/** The name `''` means a module's default export, found by interop. */
export function describeModuleExport(module: string, exported: string): Description {
  return { module: describeText(module), exported: exported === '' ? 'default' : exported };
}

/** Lone surrogates are kept apart: JSON writes them as escapes. A long text is told by its length and its ends. */
export function describeText(text: string): Description {
  return text.length > 200 ? { text: `${text.slice(0, 40)}…${text.slice(-40)}`, length: text.length } : text;
}

/** `same` or a new number for an object that may stand in several places. */
function numberObject(numbers: Map<object, number>, value: object) {
  const number = numbers.get(value);
  if (number === undefined) numbers.set(value, numbers.size);
  return number;
}

async function describeObject(value: object, visit: Visit): Promise<Description> {
  if (isThenable(value)) return describePromise(value, visit);
  const marker = readMember(value, '$$typeof');
  if (marker === Symbol.for('react.transitional.element')) return describeElement(value, visit);
  if (marker === Symbol.for('react.lazy')) return describeLazy(value, visit);
  if (value instanceof Error) return describeErrorValue(value, visit);
  if (value instanceof Date) return { date: String(Number(value)) };
  if (value instanceof Blob) return describeBlob(value, visit);
  if (value instanceof FormData) return describeForm(value, visit);
  if (value instanceof ReadableStream) return describeOnce(value, visit, describeStream);
  if (value instanceof ArrayBuffer) return describeBytes('ArrayBuffer', new Uint8Array(value));
  if (ArrayBuffer.isView(value)) {
    return describeBytes(nameOf(value), new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }
  if (Symbol.asyncIterator in value) return describeOnce(value, visit, describeAsyncIterable);
  if (!Array.isArray(value) && !(value instanceof Map || value instanceof Set) && Symbol.iterator in value) {
    return describeOnce(value, visit, describeIterator);
  }
  return describeContainer(value, visit);
}

async function describeOnce<T extends object>(
  value: T,
  visit: Visit,
  drain: (value: T, visit: Visit) => Promise<Description>,
): Promise<Description> {
  const known = visit.drained.get(value);
  if (known !== undefined) return known;
  visit.drained.set(value, { draining: true });
  const drained = await drain(value, visit);
  visit.drained.set(value, drained);
  return drained;
}

function nameOf(value: object) {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

export function describeBytes(type: string, bytes: Uint8Array): Description {
  return { bytes: type, hex: Buffer.from(bytes).toString('hex') };
}

function readMember(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** Production sends nothing of it, and React's client says so in a message of its own. */
async function describeErrorValue(error: Error, visit: Visit): Promise<Description> {
  const known = numberObject(visit.numbers, error);
  if (known !== undefined) return { same: known };
  if (error.message.startsWith('An error occurred in the Server Components render')) return { error: '' };
  const cause = 'cause' in error ? { cause: await describe(error.cause, visit) } : {};
  const errors = error instanceof AggregateError ? { errors: await describe(error.errors, visit) } : {};
  return { error: describeText(error.message), ...cause, ...errors };
}

function isThenable(value: object): value is PromiseLike<unknown> {
  return 'then' in value && typeof value.then === 'function';
}

async function describeContainer(value: object, visit: Visit): Promise<Description> {
  const known = numberObject(visit.numbers, value);
  if (known !== undefined) return { same: known };
  if (Array.isArray(value)) return { array: await describeAll(value, visit) };
  if (value instanceof Set) return { set: await describeAll([...value], visit) };
  if (value instanceof Map) {
    const entries: Description[] = [];
    for (const [key, inner] of value) entries.push([await describe(key, visit), await describe(inner, visit)]);
    return { map: entries };
  }
  return { object: await describeMembers(value, visit) };
}

async function describeAll(values: ArrayLike<unknown>, visit: Visit) {
  const described: Description[] = [];
  for (let index = 0; index < values.length; index++) described.push(await describe(values[index], visit));
  return described;
}

/** In the order of their names, for an object sorts some of its own; without those that are undefined. */
async function describeMembers(value: object, visit: Visit) {
  const members: Description[] = [];
  for (const name of Object.keys(value).sort()) {
    const inner = await describe(readMember(value, name), visit);
    if (!isUndefined(inner)) members.push([name, inner]);
  }
  return members;
}

export function isUndefined(described: Description) {
  return typeof described === 'object' && described !== null && 'undefined' in described;
}

async function describePromise(value: PromiseLike<unknown>, visit: Visit): Promise<Description> {
  const outcome = await settle(value);
  if ('error' in outcome) return { rejected: visit.options.describeError(outcome.error) };
  return toPromise(await describe(outcome.value, visit));
}

/** A promise for a promise is that promise; so it is in JavaScript, and in some of React's clients. */
export function toPromise(value: Description): Description {
  const isPromise = typeof value === 'object' && value !== null && ('promise' in value || 'rejected' in value);
  return isPromise ? value : { promise: value };
}

/** React's chunks are thenables, whose `then` may be awaited only through a promise of one's own. */
async function settle(value: PromiseLike<unknown>): Promise<{ value: unknown } | { error: unknown }> {
  return new Promise((resolve) => {
    value.then(
      (inner) => resolve({ value: inner }),
      (error: unknown) => resolve({ error }),
    );
  });
}

async function describeElement(value: object, visit: Visit): Promise<Description> {
  const props = readMember(value, 'props');
  const type = await describe(readMember(value, 'type'), visit);
  return {
    element: type,
    key: await describe(readMember(value, 'key'), visit),
    props: typeof props === 'object' && props !== null ? await describeMembers(props, visit) : null,
  };
}

/** React makes values lazy for reasons of its own (an element whose parts are late), so laziness is no difference. */
async function describeLazy(value: object, visit: Visit): Promise<Description> {
  const payload = readMember(value, '_payload');
  const init = readMember(value, '_init');
  if (typeof init !== 'function') throw new Error('a lazy value without _init');
  if (typeof payload === 'object' && payload !== null && isThenable(payload)) await settle(payload);
  try {
    const inner: unknown = init(payload);
    return await describe(inner, visit);
  } catch (error) {
    return { throws: visit.options.describeError(error) };
  }
}

async function describeBlob(value: Blob, { options }: Visit): Promise<Description> {
  const hex = Buffer.from(await value.arrayBuffer()).toString('hex');
  const name = options.withFileNames && value instanceof File ? { name: describeText(value.name) } : {};
  return { bytes: 'Blob', hex, type: value.type, ...name };
}

async function describeForm(value: FormData, visit: Visit): Promise<Description> {
  const entries: Description[] = [];
  for (const [name, entry] of value.entries()) entries.push([name, await describe(entry, visit)]);
  return { form: entries };
}

async function describeStream(stream: ReadableStream, visit: Visit): Promise<Description> {
  return isByteStream(stream) ? describeByteStream(stream, visit) : describeItemStream(stream, visit);
}

function isByteStream(stream: ReadableStream) {
  try {
    stream.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

async function describeByteStream(stream: ReadableStream, visit: Visit): Promise<Description> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of stream) parts.push(part);
  } catch (error) {
    return { 'byte-stream': 'failed', error: visit.options.describeError(error) };
  }
  return { 'byte-stream': Buffer.concat(parts).toString('hex') };
}

/** A stream that fails loses what nobody had read by then, so only the failure counts. */
async function describeItemStream(stream: ReadableStream, visit: Visit): Promise<Description> {
  const items: unknown[] = [];
  try {
    for await (const item of stream) items.push(item);
  } catch (error) {
    return { stream: 'failed', error: visit.options.describeError(error) };
  }
  return { stream: await describeAll(items, visit) };
}

async function describeAsyncIterable(value: object, visit: Visit): Promise<Description> {
  const once = 'next' in value;
  const create: unknown = Reflect.get(value, Symbol.asyncIterator);
  if (typeof create !== 'function') throw new Error('an async iterable without an iterator');
  const iterator: { next(): PromiseLike<IteratorResult<unknown>> } = create.call(value);
  const items: Description[] = [];
  for (;;) {
    const outcome = await settle(iterator.next());
    if ('error' in outcome) return { items, once, throws: visit.options.describeError(outcome.error) };
    const step = outcome.value;
    // React's client deletes a value that is undefined, here as everywhere.
    if (typeof step !== 'object' || step === null || !('done' in step)) throw new Error('a step of no iterator');
    const inner = await describe('value' in step ? step.value : undefined, visit);
    if (step.done) return { items, once, returns: inner };
    items.push(inner);
  }
}

async function describeIterator(value: object, visit: Visit): Promise<Description> {
  const create: unknown = Reflect.get(value, Symbol.iterator);
  if (typeof create !== 'function') throw new Error('an iterator without itself');
  const iterator: Iterator<unknown> = create.call(value);
  return { iterator: await describeAll([...iterateOnce(iterator)], visit) };
}

function* iterateOnce(iterator: Iterator<unknown>) {
  for (let step = iterator.next(); !step.done; step = iterator.next()) yield step.value;
}

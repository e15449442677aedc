import { isErrorValue } from './error-values.ts';
import type { Flight } from './flight.ts';
import { readNestedFlight } from './nested-flight.ts';
import { followTarget, openPart, rootPart, type Member, type Part } from './part.ts';
import { readHeader, readRowTag } from './row-index.ts';
import { bytesPerElementOf, type BinaryType } from './row-tags.ts';
import { readRow } from './row.ts';
import { readStreams, type FlightStream } from './streams.ts';
import { arrayKind, kindAt, objectKind } from './tape.ts';
import { countChildren, readElement, type Value } from './value.ts';

/**
 * Where the members of a part are: the first half of members.ts, which says what this is for. Nothing is read here but what
 * tells the kinds apart, and how a stream or an element begins and ends.
 */
export type Container =
  | { readonly kind: 'none' }
  | { readonly kind: 'items'; readonly value: Value }
  | { readonly kind: 'entries'; readonly value: Value; readonly isError: boolean }
  | { readonly kind: 'pairs'; readonly value: Value; readonly isForm: boolean }
  /** Members before and after the entries of its props. */
  | {
      readonly kind: 'element';
      readonly before: readonly Member[];
      readonly props: Value | undefined;
      readonly after: readonly Member[];
    }
  /** The first `items` rows of the stream, and what comes after them. */
  | {
      readonly kind: 'stream';
      readonly stream: FlightStream;
      readonly items: number;
      readonly after: readonly Member[];
    }
  /** `size` numbers of `width` bytes each. */
  | {
      readonly kind: 'numbers';
      readonly row: number;
      readonly type: BinaryType;
      readonly width: number;
      readonly size: number;
    }
  | { readonly kind: 'few'; readonly members: readonly Member[] };

const none: Container = { kind: 'none' };

function few(...members: Member[]): Container {
  return { kind: 'few', members };
}

/** What is in the value or the row that a Map, a promise's value or a server reference is sent as. */
function readInside(part: Part, isMap = false, isForm = false): Container {
  const found = openPart(part);
  if (found.kind === 'row') return readRowContainer(found, found.row);
  if (found.kind !== 'value') return few({ name: '(value)', part: found });
  const { value } = found;
  if (value.kind === 'array') return readArray(found, value, isMap, isForm);
  if (value.kind === 'object') return readJsonContainer(found, value);
  return few({ name: '(value)', part: found });
}

function readArray({ flight }: Part, value: Value, isMap: boolean, isForm: boolean): Container {
  if (kindAt(flight.tape, value.at) !== arrayKind) return none;
  return isMap ? { kind: 'pairs', value, isForm } : { kind: 'items', value };
}

function readJsonContainer({ flight }: Part, value: Value): Container {
  const kind = kindAt(flight.tape, value.at);
  if (kind === arrayKind) return { kind: 'items', value };
  return kind === objectKind ? { kind: 'entries', value, isError: isErrorValue(flight, value) } : none;
}

/** Types that say all there is to say in the element's own line. */
function isPlainType(part: Part): boolean {
  const found = openPart(part);
  return found.kind === 'value' && (found.value.kind === 'string' || found.value.kind === 'symbol');
}

function readElementContainer(part: Part, element: Value): Container {
  const { type, key, props, owner, stack } = readElement(part.flight, element);
  const toMember = (name: string, value: Value): Member => ({ name, part: { ...part, kind: 'value', value } });
  const before: Member[] = [];
  const after: Member[] = [];
  if (key && key.kind !== 'null') before.push(toMember('key', key));
  const typeMember = toMember('(type)', type);
  if (!isPlainType(typeMember.part)) before.push(typeMember);
  if (owner && owner.kind !== 'null') after.push(toMember('(owner)', owner));
  if (stack && stack.kind !== 'null') after.push(toMember('(stack)', stack));
  const opened = props && openPart({ ...part, kind: 'value', value: props });
  if (opened?.kind === 'value' && opened.value.kind === 'object') {
    return { kind: 'element', before, props: opened.value, after };
  }
  if (props && props.kind !== 'null') before.push(toMember('props', props));
  return { kind: 'element', before, props: undefined, after };
}

const streamsOf = new WeakMap<Flight, ReadonlyMap<number, FlightStream>>();

function readStreamContainer({ flight, came }: Part, id: number): Container {
  const streams = streamsOf.get(flight) ?? readStreams(flight);
  streamsOf.set(flight, streams);
  const stream = streams.get(id);
  if (!stream) return none;
  let items = stream.items.length;
  while (items > 0 && (stream.items[items - 1] ?? 0) >= came) items -= 1;
  const { end } = stream;
  if (end === undefined || end >= came) {
    return { kind: 'stream', stream, items, after: [{ name: '(next)', part: { flight, came, kind: 'waiting', id } }] };
  }
  const row = readRow(flight, end);
  if (row.kind !== 'stream-end') {
    return {
      kind: 'stream',
      stream,
      items,
      after: [{ name: '(error)', part: { flight, came, kind: 'row', row: end } }],
    };
  }
  const { value } = row;
  const after: Member[] = value ? [{ name: '(returned)', part: { flight, came, kind: 'value', value } }] : [];
  return { kind: 'stream', stream, items, after };
}

/** How a piece of a byte stream is shown. */
const pieceOfStream = 'Uint8Array';

function readBytesContainer({ flight }: Part, row: number): Container {
  const nested = readNestedFlight(flight, row);
  const root = nested && rootPart(nested);
  if (root) return few({ name: '(payload)', part: root });
  const rowTag = readRowTag(flight.rows, row);
  return toNumbers(flight, row, rowTag.body === 'binary' ? rowTag.type : pieceOfStream);
}

function toNumbers({ rows }: Flight, row: number, type: BinaryType): Container {
  const { payloadStart, payloadEnd } = readHeader(rows, row);
  const width = bytesPerElementOf(type);
  const size = Math.floor((payloadEnd - payloadStart) / width);
  return size === 0 ? none : { kind: 'numbers', row, type, width, size };
}

function readRowContainer(part: Part, row: number): Container {
  const { flight } = part;
  switch (readRowTag(flight.rows, row).body) {
    case 'binary':
    case 'bytes':
      return readBytesContainer(part, row);
    case 'stream':
      return readStreamContainer(part, readHeader(flight.rows, row).id);
    case 'text':
    case 'time':
      return none;
    default: {
      const content = readRow(flight, row);
      if (!('value' in content) || !content.value) return none;
      const { value } = content;
      if (value.kind === 'array' || value.kind === 'object') return readJsonContainer(part, value);
      return few({ name: '(value)', part: { ...part, kind: 'value', value } });
    }
  }
}

function readValueContainer(part: Part, value: Value): Container {
  switch (value.kind) {
    case 'array':
    case 'object':
      return readJsonContainer(part, value);
    case 'element':
      return readElementContainer(part, value);
    case 'map':
    case 'form-data':
      return readInside(followTarget(part, value), true, value.kind === 'form-data');
    case 'set':
    case 'iterator':
    case 'blob':
    case 'server-reference':
      return readInside(followTarget(part, value));
    case 'binary': {
      // Its bytes came as a file, which does not say what they are.
      const found = readInside(followTarget(part, value));
      return found.kind === 'numbers' ? toNumbers(part.flight, found.row, value.type) : found;
    }
    case 'stream':
      return readStreamContainer(part, value.id);
    case 'promise':
    case 'constructor':
      return few({ name: '(value)', part: followTarget(part, value) });
    case 'error':
      return value.target ? readInside(followTarget(part, value.target)) : none;
    case 'omitted': {
      // What development leaves out is asked for over another connection; some of it comes with the payload.
      const found = value.target && followTarget(part, value.target);
      return found && found.kind !== 'waiting' ? readInside(found) : none;
    }
    default:
      return none;
  }
}

export function readContainer(part: Part): Container {
  const found = openPart(part);
  if (found.kind === 'value') return readValueContainer(found, found.value);
  return found.kind === 'row' ? readRowContainer(found, found.row) : none;
}

export function countContainer(flight: Flight, container: Container): number {
  switch (container.kind) {
    case 'none':
      return 0;
    case 'items':
    case 'entries':
    case 'pairs':
      return countChildren(flight, container.value);
    case 'element': {
      const { before, props, after } = container;
      return before.length + (props ? countChildren(flight, props) : 0) + after.length;
    }
    case 'stream':
      return container.items + container.after.length;
    case 'numbers':
      return container.size;
    case 'few':
      return container.members.length;
  }
}

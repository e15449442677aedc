import { reviveErrorMember } from './error-values.ts';
import type { Flight } from './flight.ts';
import { countContainer, readContainer, type Container } from './member-container.ts';
import { openPart, partOfRow, type Member, type Part } from './part.ts';
import { printValue } from './print-value.ts';
import { readNumberAt } from './read-number-at.ts';
import { readHeader } from './row-index.ts';
import { kindAt, objectKind } from './tape.ts';
import { countChildren, readEntries, readItems, type Value } from './value.ts';

/**
 * What is in a part: the one way to open a value, whatever kind it is. Arrays, objects and elements have their members in
 * place. Maps, Sets, FormData, iterators, Blobs, server references and errors have them in another row, streams in the rows
 * that follow under one id, typed arrays in their bytes, and Next.js sends a payload within a payload as such bytes.
 *
 * Members are read page by page, and a page costs about its own size however far into a list it is (item-index.ts).
 */
/** Whether there is anything in a part. Unlike `countMembers` it never goes through a long list. */
export function hasMembers(part: Part): boolean {
  const container = readContainer(part);
  switch (container.kind) {
    case 'none':
      return false;
    case 'items':
    case 'entries':
    case 'pairs':
    case 'numbers':
      return true;
    case 'element': {
      const { before, props, after } = container;
      return (
        before.length + after.length > 0 || (props !== undefined && kindAt(part.flight.tape, props.at) === objectKind)
      );
    }
    case 'stream':
    case 'few':
      return countContainer(part.flight, container) > 0;
  }
}

/** How many members a part has; 0 for a leaf. References are followed. */
export function countMembers(part: Part): number {
  return countContainer(part.flight, readContainer(part));
}

/**
 * The same for two parts with the same members, so that who goes through all of a payload opens nothing twice; undefined for what can
 * have none.
 */
export function identifyMembers(part: Part): string | undefined {
  const container = readContainer(part);
  switch (container.kind) {
    case 'none':
      return undefined;
    case 'items':
    case 'entries':
    case 'pairs':
      return `v${container.value.at}`;
    case 'stream':
      return `s${container.stream.id}`;
    case 'numbers':
      return `r${container.row}`;
    case 'element':
    case 'few': {
      const found = openPart(part);
      return found.kind === 'value' ? `v${found.value.at}` : found.kind === 'row' ? `r${found.row}` : undefined;
    }
  }
}

/** A key of a Map that is longer gets a line of its own, and so does one that is no plain value. */
const maxKeyLength = 60;

const keyKinds = new Set<Value['kind']>([
  'string',
  'number',
  'boolean',
  'null',
  'undefined',
  'bigint',
  'symbol',
  'date',
]);

function nameKey(flight: Flight, key: Value, isForm: boolean): string | undefined {
  if (!keyKinds.has(key.kind)) return undefined;
  const name = isForm && key.kind === 'string' ? key.value : printValue(flight, key);
  return name.length <= maxKeyLength ? name : undefined;
}

/** An entry of a Map: named by its key when that is a short plain value, else `[key, value]` with its index. */
function readPair(part: Part, item: Value, index: number, isForm: boolean): Member {
  const { flight } = part;
  const whole: Member = { name: String(index), part: { ...part, kind: 'value', value: item } };
  const pair = openPart(whole.part);
  if (pair.kind !== 'value' || pair.value.kind !== 'array') return whole;
  const [key, value, more] = readItems(flight, pair.value, 0, 3);
  if (!key || !value || more) return whole;
  const name = nameKey(flight, key, isForm);
  if (name === undefined) return whole;
  return { name, part: { ...part, kind: 'value', value }, key };
}

function readNumbers(
  part: Part,
  { row, type, width, size }: Container & { kind: 'numbers' },
  from: number,
  count: number,
): Member[] {
  const { flight } = part;
  const { payloadStart, payloadEnd } = readHeader(flight.rows, row);
  const data = flight.bytes.subarray(payloadStart, payloadEnd);
  const members: Member[] = [];
  for (let index = from; index < Math.min(size, from + count); index++) {
    const start = payloadStart + index * width;
    const text = readNumberAt(type, data, index * width);
    members.push({ name: String(index), part: { ...part, kind: 'number', row, start, end: start + width, text } });
  }
  return members;
}

/** React's clients drop what an object has under `__proto__`; it is shown all the same, for it was sent. */
function nameEntry(key: string): string {
  return key === '__proto__' ? '(__proto__, dropped)' : key;
}

/** Some of a list that is in three parts: before, what is read page by page, after. */
function readAround(
  { before, middle, after }: { before: readonly Member[]; middle: number; after: readonly Member[] },
  readMiddle: (from: number, count: number) => Member[],
  from: number,
  count: number,
): Member[] {
  const to = from + count;
  const first = Math.max(from - before.length, 0);
  const last = Math.min(to - before.length, middle);
  const rest = before.length + middle;
  return [
    ...before.slice(from, to),
    ...(last > first ? readMiddle(first, last - first) : []),
    ...after.slice(Math.max(from - rest, 0), Math.max(to - rest, 0)),
  ];
}

/** The members of a part from `from` on, at most `count`; none for a leaf. References are followed. */
export function readMembers(part: Part, from = 0, count = Infinity): Member[] {
  const { flight } = part;
  const found = openPart(part);
  const container = readContainer(found);
  const toPart = (value: Value): Part => ({ ...found, kind: 'value', value });
  const readProps = (props: Value, start: number, size: number): Member[] =>
    readEntries(flight, props, start, size).map(({ key, value }) => ({ name: nameEntry(key), part: toPart(value) }));
  switch (container.kind) {
    case 'none':
      return [];
    case 'items':
      return readItems(flight, container.value, from, count).map((item, index) => ({
        name: String(from + index),
        part: toPart(item),
      }));
    case 'entries':
      if (!container.isError) return readProps(container.value, from, count);
      return readEntries(flight, container.value, from, count).map(({ key, value }) => ({
        name: nameEntry(key),
        part: toPart(reviveErrorMember(key, value)),
      }));
    case 'pairs':
      return readItems(flight, container.value, from, count).map((item, index) =>
        readPair(found, item, from + index, container.isForm),
      );
    case 'element': {
      const { props } = container;
      const middle = props ? countChildren(flight, props) : 0;
      return readAround(
        { ...container, middle },
        (start, size) => (props ? readProps(props, start, size) : []),
        from,
        count,
      );
    }
    case 'stream': {
      const { stream, items, after } = container;
      const readRows = (start: number, size: number): Member[] =>
        stream.items.slice(start, start + size).map((row, index) => ({
          name: String(start + index),
          part: partOfRow(flight, row, found.came),
        }));
      return readAround({ before: [], middle: items, after }, readRows, from, count);
    }
    case 'numbers':
      return readNumbers(found, container, from, count);
    case 'few':
      return container.members.slice(from, from + count);
  }
}

import { type Flight, countChildren, readElement, readEntries, readItems, type Value } from '#flight';

/**
 * A decoded value as a list of lines. The members of an open container follow it. Only open containers are read, and of
 * each only the first members until more are asked for. So a list costs only what it shows.
 */
export type ValueLine =
  | {
      readonly kind: 'value';
      /** Its key or index in its container; undefined for the value itself. */
      readonly name: string | undefined;
      readonly value: Value;
      readonly depth: number;
      /** Undefined for a value without members. */
      readonly isOpen: boolean | undefined;
    }
  /** The members of a container that are not shown yet. */
  | {
      readonly kind: 'more';
      readonly container: Value;
      readonly depth: number;
      readonly shown: number;
      readonly total: number;
    };

/** Which containers are open, by their place on the tape, and how many members of each are shown. */
export type OpenValues = ReadonlyMap<number, number>;

/** How many members are shown at first, and how many more each time. */
export const pageSize = 100;
/** How many lines of a value are shown at first: one screen. */
const firstLines = 40;

type Member = { readonly name: string; readonly value: Value };

function readElementMembers(flight: Flight, element: Value): Member[] {
  const { key, props, owner, stack } = readElement(flight, element);
  const members: Member[] = [];
  if (key && key.kind !== 'null') members.push({ name: 'key', value: key });
  if (props?.kind === 'object') {
    members.push(...readEntries(flight, props).map((entry) => ({ name: entry.key, value: entry.value })));
  } else if (props) members.push({ name: 'props', value: props });
  if (owner && owner.kind !== 'null') members.push({ name: '(owner)', value: owner });
  if (stack && stack.kind !== 'null') members.push({ name: '(stack)', value: stack });
  return members;
}

function countMembers(flight: Flight, value: Value): number {
  if (value.kind === 'element') return readElementMembers(flight, value).length;
  return value.kind === 'array' || value.kind === 'object' ? countChildren(flight, value) : 0;
}

function readMembers(flight: Flight, value: Value, count: number): Member[] {
  if (value.kind === 'element') return readElementMembers(flight, value).slice(0, count);
  if (value.kind === 'object') {
    return readEntries(flight, value, 0, count).map((entry) => ({ name: entry.key, value: entry.value }));
  }
  return readItems(flight, value, 0, count).map((item, index) => ({ name: String(index), value: item }));
}

/** The lines of a value and of what is open in it. */
export function readValueLines(flight: Flight, root: Value, open: OpenValues): ValueLine[] {
  const lines: ValueLine[] = [];
  /** What is still to be written. The next item is last. */
  const stack: ({ name: string | undefined; value: Value; depth: number } | ValueLine)[] = [
    { name: undefined, value: root, depth: 0 },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if ('kind' in next) {
      lines.push(next);
      continue;
    }
    const { name, value, depth } = next;
    const total = countMembers(flight, value);
    const shown = open.get(value.at);
    lines.push({ kind: 'value', name, value, depth, isOpen: total === 0 ? undefined : shown !== undefined });
    if (shown === undefined || total === 0) continue;
    if (shown < total) stack.push({ kind: 'more', container: value, depth: depth + 1, shown, total });
    const members = readMembers(flight, value, shown);
    for (const member of members.toReversed()) stack.push({ ...member, depth: depth + 1 });
  }
  return lines;
}

/** What is open at first: level by level, as much as fits on a screen. */
export function openFirst(flight: Flight, root: Value): Map<number, number> {
  const open = new Map<number, number>();
  let level = [root];
  let lines = 1;
  while (level.length > 0) {
    const inner: Value[] = [];
    for (const value of level) {
      const total = countMembers(flight, value);
      // A long list shows its beginning. The value itself is always open.
      const shown = Math.min(total, open.size === 0 ? pageSize : firstLines - lines);
      if (shown < Math.min(total, 8) || shown <= 0) continue;
      lines += shown;
      open.set(value.at, shown === total ? pageSize : shown);
      inner.push(...readMembers(flight, value, shown).map((member) => member.value));
    }
    level = inner;
  }
  return open;
}

/** Opens the containers around the value with these bytes, and shows it among its container's members. */
export function openTo(
  flight: Flight,
  root: Value,
  start: number,
  end: number,
  before: OpenValues,
): Map<number, number> {
  const open = new Map(before);
  let value = root;
  while (value.start !== start || value.end !== end) {
    const members = readMembers(flight, value, Infinity);
    const index = members.findIndex((member) => member.value.start <= start && member.value.end >= end);
    const member = members[index];
    if (!member) break;
    open.set(value.at, Math.max(open.get(value.at) ?? pageSize, index + pageSize / 2));
    value = member.value;
  }
  return open;
}

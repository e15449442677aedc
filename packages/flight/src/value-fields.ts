import {
  hasItems,
  kindOf,
  listItems,
  namesOf,
  placeOfItem,
  reveal,
  sizeOf,
  type ByteItem,
  type ItemReader,
} from './byte-items.ts';
import type { Flight } from './flight.ts';
import { formatCount } from './format-numbers.ts';
import type { Place } from './place.ts';
import { nextAt, startAt, stepAt } from './tape.ts';

/**
 * What a large value is made of, for somebody who wants to send less of it. A field is a name with all of its values: the list
 * `{"items": [{"id": 1, "text": "…"}, …]}` has `items.text × 200` and `items.id × 200`. A list is no level of its own. A name that
 * has nearly everything is replaced by the names in it. The bytes are those of the values, as in the byte tree. The names and
 * what stands between them are one more field.
 */
export type ValueField = {
  /** `items.text × 200`: how many values it stands for, unless it is one. Or `names of the fields`. */
  readonly name: string;
  readonly bytes: number;
  /** The largest of the values. */
  readonly place: Place;
};

/** A name with this share is what the value is: the names in it say more. */
const nearlyAll = 0.9;

/** Below this share of the value a name is not worth the reading. */
const leastShare = 0.05;

/** Above so many names an object is a list by another name, as one with an id for each of its items is. */
const mostNames = 50;

/** Values that are looked at on one level. Of a longer list nothing is said: the rest of it may differ. */
const mostValues = 20_000;

const mostLevels = 20;

/** The fields of the value at `place`, the largest first; empty where it has none, or is what a page shows. */
export function findFields(reader: ItemReader, place: Place): readonly ValueField[] {
  const at = findAt(reader.flight, place);
  if (at === undefined) return [];
  const path: string[] = [];
  let level: readonly ByteItem[] = [{ row: place.row, at, nameAt: -1 }];
  for (let depth = 0; depth < mostLevels; depth++) {
    const inside = openAll(reader, level);
    if (!inside) return [];
    const named = groupByName(reader, inside);
    if (named.size === 0 || named.size > mostNames) {
      level = inside;
      continue;
    }
    const bytes = sum(reader, inside);
    const fields = [...named].map(([name, items]) => ({ name, items, bytes: sum(reader, items) }));
    const [largest] = fields.toSorted((a, b) => b.bytes - a.bytes);
    if (largest && largest.bytes >= bytes * nearlyAll && largest.items.some((item) => hasInside(reader, item))) {
      path.push(largest.name);
      level = largest.items;
      continue;
    }
    const whole = sum(reader, level);
    const shown = fields.map((field) => toField(reader, path, field));
    // What is in no value.
    shown.push({ name: 'names of the fields', bytes: whole - bytes, place });
    return shown.filter((field) => field.bytes >= whole * leastShare).toSorted((a, b) => b.bytes - a.bytes);
  }
  return [];
}

/** The place on the tape of the value that begins where `place` does. */
function findAt({ rows, tape }: Flight, { row, start }: Place): number | undefined {
  const model = rows.models[row] ?? 0;
  if (model === 0 || start === undefined) return undefined;
  const end = nextAt(tape, model - 1);
  for (let at = model - 1; at < end; at = stepAt(tape, at)) if (startAt(tape, at) === start) return at;
  return undefined;
}

function hasInside(reader: ItemReader, item: ByteItem): boolean {
  return hasItems(reader, reveal(reader, item));
}

/** Everything in these values; undefined where there is nothing, too much, or an element. */
function openAll(reader: ItemReader, level: readonly ByteItem[]): readonly ByteItem[] | undefined {
  const inside: ByteItem[] = [];
  for (const item of level) {
    const revealed = reveal(reader, item);
    if (kindOf(reader, { ...item, nameAt: -1 }, revealed) === 'element') return undefined;
    for (const inner of listItems(reader, revealed)) inside.push(inner);
    if (inside.length > mostValues) return undefined;
  }
  return inside.length === 0 ? undefined : inside;
}

/** Empty where items without a name have most of the bytes: those of lists. */
function groupByName(reader: ItemReader, items: readonly ByteItem[]): ReadonlyMap<string, readonly ByteItem[]> {
  const named = items.filter(({ nameAt }) => nameAt >= 0);
  if (sum(reader, named) * 2 < sum(reader, items)) return new Map();
  const groups = new Map<string, ByteItem[]>();
  for (const item of named) {
    const [name = ''] = namesOf(reader, item, reveal(reader, item));
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

function sum(reader: ItemReader, items: readonly ByteItem[]): number {
  return items.reduce((all, item) => all + sizeOf(reader, item), 0);
}

type Group = { readonly name: string; readonly items: readonly ByteItem[]; readonly bytes: number };

function toField(reader: ItemReader, path: readonly string[], { name, items, bytes }: Group): ValueField {
  const largest = items.reduce((most, item) => (sizeOf(reader, item) > sizeOf(reader, most) ? item : most));
  const times = items.length === 1 ? '' : ` × ${formatCount(items.length)}`;
  return { name: [...path, name].join('.') + times, bytes, place: placeOfItem(reader, largest) };
}

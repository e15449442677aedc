import type { Attribution } from './attribution.ts';

/**
 * Which elements account for the difference of two payloads' sizes. Each byte of either payload belongs to one element, or to
 * none; so the differences add up to that of the payloads.
 */
export type DiffCause = {
  /** `<li>`, or what is in no element: module rows, hints, values at the root. */
  name: string;
  before: number;
  after: number;
  /** How many there are of it. */
  countBefore: number;
  countAfter: number;
  /** Its props that became larger or smaller, the largest difference first. */
  props: readonly { name: string; before: number; after: number }[];
};

/** Elements listed; a page has a few dozen. The others are one entry. */
const maxCauses = 100;
const maxProps = 5;

type Sides<T> = { before: T | undefined; after: T | undefined };

function pairByName<T>(before: readonly T[], after: readonly T[], name: (item: T) => string): Map<string, Sides<T>> {
  const pairs = new Map<string, Sides<T>>(before.map((item) => [name(item), { before: item, after: undefined }]));
  for (const item of after) {
    const known = pairs.get(name(item));
    if (known) known.after = item;
    else pairs.set(name(item), { before: undefined, after: item });
  }
  return pairs;
}

function change({ before, after }: { before: number; after: number }): number {
  return Math.abs(after - before);
}

type ChangedProp = DiffCause['props'][number] & { element: string };

/** Lists for each element the props that changed, the largest difference first. */
function listProps(before: Attribution, after: Attribution): Map<string, ChangedProp[]> {
  const byElement = new Map<string, ChangedProp[]>();
  const pairs = pairByName(before.props, after.props, ({ element, prop }) => JSON.stringify([element, prop]));
  for (const pair of pairs.values()) {
    const { element = '', prop: name = '' } = pair.after ?? pair.before ?? {};
    const prop = { element, name, before: pair.before?.bytes ?? 0, after: pair.after?.bytes ?? 0 };
    if (prop.before === prop.after) continue;
    const list = byElement.get(element);
    if (list) list.push(prop);
    else byElement.set(element, [prop]);
  }
  for (const list of byElement.values()) list.sort((a, b) => change(b) - change(a));
  return byElement;
}

/** The largest difference first. Empty when no element is larger or smaller. */
export function listCauses(before: Attribution, after: Attribution): DiffCause[] {
  const props = listProps(before, after);
  const causes = Array.from(
    pairByName(before.elements, after.elements, ({ name, kind }) => `${kind} ${name}`).values(),
    (pair): DiffCause => {
      const name = pair.after?.name ?? pair.before?.name ?? '';
      return {
        name: `<${name}>`,
        before: pair.before?.own ?? 0,
        after: pair.after?.own ?? 0,
        countBefore: pair.before?.count ?? 0,
        countAfter: pair.after?.count ?? 0,
        props: (props.get(name) ?? [])
          .slice(0, maxProps)
          .map((prop) => ({ name: prop.name, before: prop.before, after: prop.after })),
      };
    },
  );
  causes.push(makeRest('outside elements', before.outside, after.outside));
  const changed = causes.filter((cause) => cause.before !== cause.after).toSorted((a, b) => change(b) - change(a));
  if (changed.length <= maxCauses) return changed;
  const others = changed.slice(maxCauses - 1);
  const sum = (side: 'before' | 'after') => others.reduce((total, cause) => total + cause[side], 0);
  return [...changed.slice(0, maxCauses - 1), makeRest(`${others.length} other elements`, sum('before'), sum('after'))];
}

function makeRest(name: string, before: number, after: number): DiffCause {
  return { name, before, after, countBefore: 0, countAfter: 0, props: [] };
}

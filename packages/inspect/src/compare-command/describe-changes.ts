import { countOf, formatBytesChange, formatCount, type DiffCause, type DiffGroup, type FlightDiff } from '#flight';

/** Components that are named: a page that changed everywhere is read in the viewer. */
const maxNamed = 8;

/** Less is not worth a line of its own, unless there is nothing larger. */
const minBytes = 50;

/** A part that is this much of a change explains it. */
const most = 0.5;

function changeOf({ before, after }: { readonly before: number; readonly after: number }): number {
  return after - before;
}

function bytesOf({ beforeBytes, afterBytes }: DiffGroup): number {
  return afterBytes - beforeBytes;
}

/** The part that is most of a change, by what `nameOf` calls it; nothing where none is. */
function findMost(groups: readonly DiffGroup[], change: number, nameOf: (group: DiffGroup) => string | undefined) {
  const sums = new Map<string, { bytes: number; count: number }>();
  for (const group of groups) {
    const name = nameOf(group);
    if (name === undefined) continue;
    const sum = sums.get(name) ?? { bytes: 0, count: 0 };
    sums.set(name, { bytes: sum.bytes + bytesOf(group), count: sum.count + group.count });
  }
  const [largest] = [...sums].toSorted(([, a], [, b]) => b.bytes / change - a.bytes / change);
  return largest && largest[1].bytes / change >= most ? { name: largest[0], count: largest[1].count } : undefined;
}

/** The key of objects within a prop that accounts for its change: `description`; or how many items came or went. */
function explainProp(prop: string, groups: readonly DiffGroup[], change: number): string {
  const within = groups.filter(({ names }) => names[0] === prop && names.length > 1);
  const found = findMost(within, change, ({ names }) => names.at(-1)?.replace(/^\d+$/, '*'));
  if (!found) return '';
  return found.name === '*' ? ` by ${countOf(found.count, 'item')}` : ` by ${found.name}`;
}

function countWords({ countBefore, countAfter }: DiffCause): string {
  if (countBefore === countAfter) return '';
  return ` (× ${formatCount(countBefore)} → ${formatCount(countAfter)})`;
}

/** `<ProductList> +19 kB: products grew by description` */
function describeCause(cause: DiffCause, groups: readonly DiffGroup[]): string {
  const change = changeOf(cause);
  const head = `${cause.name}${countWords(cause)} ${formatBytesChange(change)}`;
  const prop = cause.props.find((each) => each.name !== 'children' && changeOf(each) / change >= most);
  if (!prop || cause.countBefore === 0 || cause.countAfter === 0) return head;
  const own = groups.filter(({ inside }) => inside === cause.name);
  const isNew = prop.before === 0 ? 'is new' : prop.after === 0 ? 'is gone' : undefined;
  const verb = isNew ?? (changeOf(prop) > 0 ? 'grew' : 'shrank');
  return `${head}: ${prop.name} ${verb}${isNew === undefined ? explainProp(prop.name, own, changeOf(prop)) : ''}`;
}

/** Where nothing is noticeably larger or smaller: `text of <h1> changed`. */
function describeGroup({ kind, inside, names, count }: DiffGroup): string {
  const what = names.length === 0 ? 'content' : names.map((name) => name.replace(/^\d+$/, '*')).join('.');
  return `${what}${inside === undefined ? '' : ` of ${inside}`} ${kind}${count > 1 ? ` × ${formatCount(count)}` : ''}`;
}

/** What is different, in words: by component where one sends more or less, else by place. */
export function describeChanges({ causes }: FlightDiff, groups: readonly DiffGroup[]): string[] {
  const heavy = causes.filter((cause) => Math.abs(changeOf(cause)) >= minBytes);
  const lines = heavy.slice(0, maxNamed).map((cause) => describeCause(cause, groups));
  if (heavy.length > maxNamed) lines.push(`${heavy.length - maxNamed} more components are larger or smaller`);
  if (lines.length > 0) return lines;
  const places = [...new Set(groups.map(describeGroup))];
  const more = places.length - maxNamed;
  return [...places.slice(0, maxNamed), ...(more > 0 ? [`${more} more places changed`] : [])];
}

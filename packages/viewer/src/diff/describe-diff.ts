import {
  formatBytes,
  formatBytesChange,
  formatCount,
  nameFramework,
  type DiffCause,
  type DiffGroup,
  type FlightDiff,
} from '#flight';

/** The words of a comparison: one headline, and what each group of differences is. */

/** Causes in the headline: more than these nobody takes in at once. */
const maxNamed = 3;
/** A cause below this share of the difference is left to the table. */
const minShare = 0.1;
/** The headline has said enough when its causes are this share of the difference. */
const enough = 0.8;

/** `14 kB → 33 kB, +19 kB: <List> +17 kB, className of <li> +1.2 kB` */
export function describeDiff(diff: FlightDiff): string {
  const { before, after } = diff.bytes;
  const difference = after - before;
  const sizes = `${formatBytes(before)} → ${formatBytes(after)}`;
  if (diff.groups.length === 0 && diff.notSent.length === 0) return `${formatBytes(after)}: nothing is different`;
  if (difference === 0) return `${sizes}, the same size`;
  const causes = nameCauses(diff.causes, difference);
  return `${sizes}, ${formatBytesChange(difference)}${causes.length === 0 ? '' : `: ${causes.join(', ')}`}`;
}

function nameCauses(causes: readonly DiffCause[], difference: number): string[] {
  const named: string[] = [];
  let explained = 0;
  for (const cause of causes) {
    const change = cause.after - cause.before;
    if (named.length === maxNamed || explained >= enough) break;
    if (change / difference < minShare) continue;
    named.push(`${nameCause(cause, change)} ${formatBytesChange(change)}`);
    explained += change / difference;
  }
  return named;
}

/** The prop when it is nearly all of the change: `className of <li>`. */
function nameCause({ name, props, countBefore, countAfter }: DiffCause, change: number): string {
  const prop = props[0];
  const isProp = prop !== undefined && prop.name !== 'children' && (prop.after - prop.before) / change >= enough;
  return isProp && countBefore === countAfter ? `${prop.name} of ${name}` : name;
}

/** What a group is, without its kind and count: `className of <li>`, `text of <p>`, `<li> in <ul>`, `items.*.name`. */
export function describeGroup(group: DiffGroup): string {
  const { inside, names, entries } = group;
  const [entry] = entries;
  const element = group.kind === 'changed' ? undefined : readElementName(entry?.path.at(-1), entry);
  if (element !== undefined) {
    const within = [...names, ...(inside === undefined ? [] : [inside])];
    return within.length === 0 ? element : `${element} in ${within.join(' of ')}`;
  }
  const isText = group.before?.isText === true || group.after?.isText === true;
  const name = names.length > 0 ? names.join('.') : isText ? 'text' : 'content';
  if (inside !== undefined) return `${name} of ${inside}`;
  return names.length > 0 ? name : 'the root';
}

/** `<li>` of a path that ends with that element, and of a difference that is the element itself. */
function readElementName(last: string | undefined, entry: DiffGroup['entries'][number] | undefined) {
  const text = entry?.after?.text ?? entry?.before?.text ?? '';
  const name = /^<[^>]*?(?= key=|>$)/s.exec(last ?? '')?.[0];
  return name !== undefined && text.startsWith(name) ? `${name}>` : undefined;
}

/** `300 times the same change`, `300 of them`; nothing for one. */
export function describeCount({ kind, count }: DiffGroup): string | undefined {
  if (count === 1) return undefined;
  const times = formatCount(count);
  return kind === 'changed' ? `${times} times the same change` : `${times} of them`;
}

/** `5 B → 7 B, +2 B` of what changed; one size of what is on one side alone. */
export function describeWeight({ kind, beforeBytes, afterBytes }: DiffGroup): string {
  switch (kind) {
    case 'added':
      return formatBytesChange(afterBytes);
    case 'removed':
      return formatBytesChange(-beforeBytes);
    case 'moved':
      return formatBytes(afterBytes);
    case 'changed': {
      const sizes = `${formatBytes(beforeBytes)} → ${formatBytes(afterBytes)}`;
      return beforeBytes === afterBytes ? sizes : `${sizes}, ${formatBytesChange(afterBytes - beforeBytes)}`;
    }
  }
}

/** `Next.js’s own data: 14 changes, +1.2 kB` */
export function describeOwn({
  framework,
  differences,
  beforeBytes,
  afterBytes,
}: NonNullable<FlightDiff['own']>): string {
  const changes = differences === 1 ? 'one change' : `${formatCount(differences)} changes`;
  const change = afterBytes - beforeBytes;
  return `${nameFramework(framework)}’s own data: ${changes}, ${change === 0 ? 'the same size' : formatBytesChange(change)}`;
}

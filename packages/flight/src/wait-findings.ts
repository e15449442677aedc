import { listWords, maxOfKind, maxParts, minWaitMs, type Finding, type FindingPart } from './finding.ts';
import { formatCount, formatDuration } from './format-numbers.ts';
import type { Hole } from './holes.ts';
import type { Place } from './place.ts';
import type { Awaited } from './row-awaits.ts';
import { printRowOrigin, type SourcePlace } from './row-origin.ts';

/** A hole with the time that it was waited for. */
type Wait = { hole: Hole; ms: number };

/** Two awaits that follow one another and take this long each are worth starting together. */
const minAwaitMs = 100;

/** Waits of one cause are alike as long as the longest is at most this many times the shortest. */
const alike = 2;

/**
 * What the page waited for. Like waits for the same component, or for the same kind of element where no component is known,
 * are told as one: a page that loads six cards has one cause, not six.
 * @param isPrefetch of a prefetch nobody sees a fallback, unless its link is followed before its end
 */
export function findWaits(holes: readonly Hole[], isPrefetch = false): Finding[] {
  const all: Wait[][] = [];
  /** The group of each cause that the next wait may be in: holes come with the longest wait first. */
  const open = new Map<string, Wait[]>();
  for (const hole of holes) {
    const { waitedMs = 0 } = hole;
    if (waitedMs < minWaitMs) continue;
    const wait = { hole, ms: Math.round(waitedMs) };
    const group = open.get(groupOf(hole));
    if (group && (group[0]?.ms ?? 0) <= wait.ms * alike) group.push(wait);
    else {
      const next = [wait];
      all.push(next);
      open.set(groupOf(hole), next);
    }
  }
  const listed = all.length > maxOfKind ? all.slice(0, maxOfKind - 1) : all;
  const found = listed.flatMap((waits) =>
    waits.length === 1 ? tellOne(waits, isPrefetch) : tellSeveral(waits, true, isPrefetch),
  );
  return [...found, ...tellSeveral(all.slice(listed.length).flat(), false, isPrefetch)];
}

function groupOf({ boundary, origin, filledBy = '', state, around }: Hole): string {
  if (!boundary) return 'page';
  const element = /^<[^\s/>]+/.exec(filledBy)?.[0] ?? '';
  return `${state} ${around.kind} ${origin?.component ?? element}`;
}

function toFinding(
  waits: readonly Wait[],
  title: string,
  advice: string,
  parts: readonly FindingPart[],
  source: SourcePlace | undefined,
): Finding[] {
  const [longest] = waits;
  if (!longest) return [];
  const { hole, ms } = longest;
  return [
    {
      kind: 'wait',
      weight: 'wait',
      title,
      advice,
      bytes: undefined,
      compressed: undefined,
      ms,
      place: placeOfHole(hole),
      source,
      parts,
    },
  ];
}

function placeOfHole({ boundary, rows }: Hole): Place {
  const last = lastRow(rows);
  return boundary ?? last?.place ?? { row: 0 };
}

function lastRow(rows: Hole['rows']): Hole['rows'][number] | undefined {
  return rows.findLast(({ row }) => row !== undefined) ?? rows.at(-1);
}

function tellOne(waits: readonly Wait[], isPrefetch: boolean): Finding[] {
  const [wait] = waits;
  if (!wait) return [];
  const { hole, ms } = wait;
  const { boundary, name, rows, filledBy, origin, awaits, around } = hole;
  const row = lastRow(rows)?.id.toString(16) ?? '';
  const by = filledBy === undefined ? '' : ` (${filledBy})`;
  const what = origin?.component === undefined ? `row ${row}${by}` : printRowOrigin(origin);
  const [longest] = awaits;
  const io = longest ? `, which awaited ${describeAwait(longest)}` : '';
  const within = around.kind === 'client' ? ` within <${around.name}>` : '';
  const may = isPrefetch ? 'would have' : around.kind === 'none' ? undefined : 'may have';
  const title = boundary
    ? `${name} ${may ? `${may} shown` : 'showed'} its fallback for ${formatDuration(ms)}, until ${what}${within}${io}.`
    : `The page ${may ? `${may} waited` : 'waited'} ${formatDuration(ms)} for ${what}${within}${io}, outside every Suspense boundary of the payload.`;
  const parts = awaits.length < 2 ? [] : awaits.slice(0, maxParts).map((awaited) => awaitPart(awaited));
  // What was awaited is named with its place, too, and it is what took the time.
  return toFinding(waits, title, advise(hole, row), parts, longest?.source ?? origin?.source);
}

/** `loadReviews (app/reviews.js:4) for 350 ms`. */
function describeAwait(awaited: Awaited): string {
  const { url, source, ms } = awaited;
  const place = printRowOrigin({ component: undefined, source });
  const details = [url, place].filter((part) => part !== undefined && part !== '').join(', ');
  return `${nameAwait(awaited)}${details === '' ? '' : ` (${details})`} for ${formatDuration(Math.round(ms))}`;
}

/** A promise that no function of its own made has the name of the component around it. */
function nameAwait({ name, component }: Awaited): string {
  return name === component ? 'a promise of its own' : name;
}

function awaitPart(awaited: Awaited): FindingPart {
  const title = `Awaited ${describeAwait(awaited)}`;
  const { ms, row, source } = awaited;
  return { title, bytes: undefined, compressed: undefined, ms: Math.round(ms), place: { row }, source };
}

function advise(hole: Hole, row: string): string {
  return `${adviseOnCause(hole, row)}${adviseOnBoundary(hole)}`;
}

function adviseOnCause({ awaits, until }: Hole, row: string): string {
  const [first, second] = awaits.filter(({ ms }) => ms >= minAwaitMs).toSorted((a, b) => a.start - b.start);
  if (first && second && second.start >= first.end) {
    return `It awaited ${nameAwait(first)} and then ${nameAwait(second)}: where neither needs the other, start both at once (Promise.all).`;
  }
  const [longest] = awaits;
  if (longest) return `Start ${nameAwait(longest)} earlier, make it faster, or cache what it gives.`;
  const when = until === undefined ? '' : ` ${formatDuration(Math.round(until))} after the start`;
  return `Row ${row} came last,${when || ' after all others'}: look at what the component that renders it awaits. Development’s payload names it.`;
}

/** Client code may have a boundary of its own, and then what was told did not wait. */
function adviseOnBoundary({ boundary, around }: Hole): string {
  const own = ' a Suspense boundary around it shows the rest of the page first.';
  if (around.kind === 'none') return boundary ? '' : ` A${own.slice(2)}`;
  const whose = around.kind === 'client' ? `<${around.name}>` : 'the framework’s client';
  const doubt = ` Whether it did is in the code of ${whose}: a boundary there shows its own fallback, and no payload says so.`;
  return boundary ? doubt : `${doubt} Where there is none,${own}`;
}

function tellSeveral(waits: readonly Wait[], isAlike: boolean, isPrefetch: boolean): Finding[] {
  if (waits.length === 0) return [];
  const times = waits.map(({ ms }) => ms);
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const range =
    formatDuration(least) === formatDuration(most)
      ? formatDuration(most)
      : `${formatDuration(least)} to ${formatDuration(most)}`;
  const [first] = waits;
  const cause = isAlike ? first?.hole.origin : undefined;
  const until = cause?.component === undefined ? '' : `, each until ${printRowOrigin(cause)}`;
  const names = isAlike ? nameAll(waits) : `${formatCount(waits.length)} more boundaries`;
  const awaited = isAlike ? first?.hole.awaits[0] : undefined;
  const advice = awaited
    ? `Each awaited ${nameAwait(awaited)}: load what all of them need at once, or cache it.`
    : 'The row that came last in each is the one to look at; what they have in common is worth making faster once.';
  const parts = waits.slice(0, maxParts).map(({ hole, ms }) => ({
    title: `${hole.name}, until ${hole.filledBy ?? 'its last row'}`,
    bytes: undefined,
    compressed: undefined,
    ms,
    place: placeOfHole(hole),
    source: hole.origin?.source,
  }));
  const isSure = waits.every(({ hole }) => hole.around.kind === 'none');
  const told = isPrefetch ? 'would have shown' : isSure ? 'showed' : 'may have shown';
  const doubt = isSure ? '' : ' Client code between a boundary and its row may have a boundary of its own.';
  return toFinding(
    waits,
    `${names} ${told} their fallbacks for ${range}${until}.`,
    `${advice}${doubt}`,
    parts,
    cause?.source,
  );
}

/** `Suspense 2 to 6`, `Suspense 1, 4 and 7`, `Suspense "a" and Suspense "b"`. */
function nameAll(waits: readonly Wait[]): string {
  const holes = waits.map(({ hole }) => hole).toSorted((a, b) => a.number - b.number);
  if (!holes.every(({ name, number }) => name === `Suspense ${number}`)) {
    return listWords(
      holes.map(({ name }) => name),
      4,
    );
  }
  const numbers = holes.map(({ number }) => number);
  const [from = 0] = numbers;
  const to = numbers.at(-1) ?? from;
  const isRun = to - from === numbers.length - 1 && numbers.length > 2;
  return `Suspense ${isRun ? `${from} to ${to}` : listWords(numbers.map(String), 8)}`;
}

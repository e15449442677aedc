import { formatBytesChange, formatDuration } from '#flight';

import type { FlightMeasure } from './measure-flight.ts';
import type { Wait } from './read-waits.ts';

/** One save: the experiment as it was then, rendered once or more. The bytes are those of the first rendering. */
export type MeasuredSave = {
  readonly measure: FlightMeasure;
  /** Waits of the renderings after the first, which also compiles: one list for each. */
  readonly waits: readonly FlightMeasure['waits'][];
};

/** With fewer renderings of both saves, a difference of times is not told from noise. */
export const fewestTimed = 3;
/** Below it, the clock and the timers of Node are the noise. */
const leastMs = 5;

type TimedBoundary = { readonly median: number; readonly spread: number; readonly how: Wait['how'] };

function readMedian(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

/** Times the boundaries that every rendering has. */
function timeBoundaries(waits: MeasuredSave['waits']): ReadonlyMap<string, TimedBoundary> {
  const byName = new Map<string, Wait[]>();
  for (const wait of waits.flat()) byName.set(wait.name, [...(byName.get(wait.name) ?? []), wait]);
  const timed = [...byName].flatMap(([name, all]): [string, TimedBoundary][] => {
    if (all.length < fewestTimed || all.length !== waits.length) return [];
    const sorted = all.map(({ ms }) => ms).toSorted((one, other) => one - other);
    const how = all.find((one) => one.how !== 'waits')?.how ?? 'waits';
    return [[name, { median: readMedian(sorted), spread: (sorted.at(-1) ?? 0) - (sorted[0] ?? 0), how }]];
  });
  return new Map(timed);
}

type Compared = {
  readonly name: string;
  readonly how: Wait['how'];
  readonly difference: number;
  readonly noise: number;
};

/** Compares the waits that every rendering of both saves has. */
function compareWaits(before: MeasuredSave, after: MeasuredSave): readonly Compared[] {
  const known = timeBoundaries(before.waits);
  return [...timeBoundaries(after.waits)].flatMap(([name, now]) => {
    const then = known.get(name);
    if (!then) return [];
    // Where one of the two is not sure, the difference is not.
    const how = then.how === 'waits' ? now.how : then.how;
    return [{ name, how, difference: now.median - then.median, noise: Math.max(then.spread, now.spread, leastMs) }];
  });
}

/** A difference counts when it is larger than what the renderings of one save differ by. */
function describeWaits(compared: readonly Compared[]): string[] {
  return compared.flatMap(({ name, how, difference, noise }) => {
    if (Math.abs(difference) <= noise) return [];
    const [amount, isMore] = [formatDuration(Math.abs(difference)), difference > 0];
    switch (how) {
      case 'comes':
        return [`${name} comes ${amount} ${isMore ? 'later' : 'earlier'}`];
      case 'may-wait':
        return [`${name} may wait ${amount} ${isMore ? 'more' : 'less'}`];
      case 'waits':
        return [`${name} waits ${amount} ${isMore ? 'more' : 'less'}`];
    }
  });
}

/** Where nothing changed: what was compared, by name, and what could not be. Nothing is said of waits that nobody timed. */
function describeSame(before: MeasuredSave, after: MeasuredSave, compared: readonly Compared[]): string[] {
  if (after.waits.length < fewestTimed) return [];
  if (before.waits.length < fewestTimed) {
    // It was saved again before its renderings were over.
    return before.measure.waits.length > 0 ? ['waits not compared: the save before was not timed'] : [];
  }
  const names = new Set([...before.waits, ...after.waits].flatMap((waits) => waits.map(({ name }) => name)));
  for (const { name } of compared) names.delete(name);
  const steady = compared.filter(({ difference }) => Math.abs(difference) <= leastMs).map(({ name }) => name);
  const noisy = compared.filter(({ difference }) => Math.abs(difference) > leastMs);
  return [
    ...(steady.length > 0 ? [`the same waits (${listNames(steady)})`] : []),
    ...noisy.map(({ name, noise }) => `${name} within its noise of ${formatDuration(noise)}`),
    ...(names.size > 0 ? [`not compared: ${listNames([...names])}`] : []),
  ];
}

const numerals = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
/** Names in one sentence; the flight has all. */
const mostNamed = 3;

function countWord(count: number): string {
  return numerals[count] ?? String(count);
}

function plural(count: number, word: string): string {
  return `${countWord(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** What `from` has and `without` has not, a name that is there twice counted twice. */
function subtract(from: readonly string[], without: readonly string[]): string[] {
  const left = [...without];
  return from.filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function listNames(names: readonly string[]): string {
  return `${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ', …' : ''}`;
}

function describeModules(names: readonly string[], word: 'more' | 'less'): string[] {
  if (names.length === 0) return [];
  return [`${plural(names.length, 'client module')} ${word} (${listNames(names)})`];
}

function describeBytes(before: number, after: number, what: string): string[] {
  return before === after ? [] : [`${formatBytesChange(after - before)} ${what}`];
}

function describeErrors(before: number, after: number): string[] {
  if (before === after) return [];
  return [`${plural(Math.abs(after - before), 'error')} ${after > before ? 'more' : 'less'}`];
}

function describeRows(before: number, after: number): string[] {
  if (before === after) return [];
  return [`${plural(Math.abs(after - before), 'row')} ${after > before ? 'more' : 'less'}`];
}

/**
 * What a save did to the wire, in one line, the bytes first: `+312 B (+98 B with gzip), one client module more (Counter), Suspense
 * waits 40 ms less`.
 */
export function describeChange(before: MeasuredSave, after: MeasuredSave): string {
  const [then, now] = [before.measure, after.measure];
  const bytes =
    then.bytes === now.bytes && then.gzip === now.gzip
      ? []
      : [`${formatBytesChange(now.bytes - then.bytes)} (${formatBytesChange(now.gzip - then.gzip)} with gzip)`];
  const compared = compareWaits(before, after);
  const parts = [
    ...bytes,
    ...describeModules(subtract(now.modules, then.modules), 'more'),
    ...describeModules(subtract(then.modules, now.modules), 'less'),
    ...describeRows(then.rows, now.rows),
    ...describeBytes(then.text, now.text, 'of text'),
    ...describeBytes(then.repeated, now.repeated, 'sent again'),
    ...describeErrors(then.errors, now.errors),
    ...describeWaits(compared),
  ];
  if (parts.length > 0) return parts.join(', ');
  return ['The same number of bytes', ...describeSame(before, after, compared)].join(', ');
}

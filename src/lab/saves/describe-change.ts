import { formatBytesChange, formatDuration } from '#flight';

import type { FlightMeasure } from './measure-flight.ts';
import { promiseMark } from './read-waits.ts';

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

type TimedBoundary = { readonly median: number; readonly spread: number };

function readMedian(sorted: readonly number[]): number {
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

/** By boundary, of those that every rendering has. */
function timeBoundaries(waits: MeasuredSave['waits']): ReadonlyMap<string, TimedBoundary> {
  const byName = new Map<string, number[]>();
  for (const { name, ms } of waits.flat()) byName.set(name, [...(byName.get(name) ?? []), ms]);
  const timed = [...byName].flatMap(([name, all]): [string, TimedBoundary][] => {
    if (all.length < fewestTimed || all.length !== waits.length) return [];
    const sorted = all.toSorted((one, other) => one - other);
    return [[name, { median: readMedian(sorted), spread: (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) }]];
  });
  return new Map(timed);
}

/** Only then is something known of its waits. */
function isTimed({ waits }: MeasuredSave): boolean {
  return waits.length >= fewestTimed;
}

/** A difference counts when it is larger than what the renderings of one save differ by. */
function describeWaits(before: MeasuredSave, after: MeasuredSave): string[] {
  const known = timeBoundaries(before.waits);
  return [...timeBoundaries(after.waits)].flatMap(([name, now]) => {
    const then = known.get(name);
    if (!then) return [];
    const difference = now.median - then.median;
    if (Math.abs(difference) <= Math.max(then.spread, now.spread, leastMs)) return [];
    const [amount, isMore] = [formatDuration(Math.abs(difference)), difference > 0];
    if (name.startsWith(promiseMark)) return [`${name} comes ${amount} ${isMore ? 'later' : 'earlier'}`];
    return [`${name} waits ${amount} ${isMore ? 'more' : 'less'}`];
  });
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

function describeModules(names: readonly string[], word: 'more' | 'less'): string[] {
  if (names.length === 0) return [];
  const named = names.slice(0, mostNamed).join(', ');
  const others = names.length > mostNamed ? ', …' : '';
  return [`${plural(names.length, 'client module')} ${word} (${named}${others})`];
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
  const parts = [
    ...bytes,
    ...describeModules(subtract(now.modules, then.modules), 'more'),
    ...describeModules(subtract(then.modules, now.modules), 'less'),
    ...describeRows(then.rows, now.rows),
    ...describeBytes(then.text, now.text, 'of text'),
    ...describeBytes(then.repeated, now.repeated, 'sent again'),
    ...describeErrors(then.errors, now.errors),
    ...describeWaits(before, after),
  ];
  if (parts.length > 0) return parts.join(', ');
  return isTimed(before) && isTimed(after) ? 'The same number of bytes, the same waits' : 'The same number of bytes';
}

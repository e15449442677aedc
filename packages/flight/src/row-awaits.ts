import type { Flight } from './flight.ts';
import { readText, resolveTarget } from './resolve.ts';
import { followEntry, readDebugInfo, readDebugValues, toPlace, type SourcePlace } from './row-origin.ts';
import { findEntry, type Value } from './value.ts';

/**
 * What the server awaited before it could write a row. Development says it in `D` rows about the row, `{"awaited":"$3"}`;
 * row 3 is a `J` row: `{"name","start","end","owner","stack","value"}`, its times in milliseconds since the server began.
 * Production says nothing of it.
 */
export type Awaited = {
  /** The function that began it: `fetch`, `readFile`, or one of the app's. */
  name: string;
  /** What was fetched, when its value says so. */
  url: string | undefined;
  /** How long it took, and its times since the server began. */
  ms: number;
  start: number;
  end: number;
  /** The number of its `J` row. */
  row: number;
  /** The component that awaited it. */
  component: string | undefined;
  /** The first call of the app that led to it. */
  source: SourcePlace | undefined;
};

/** Characters. */
const maxUrl = 200;

/** What the server awaited for a row, in the order in which it began; nothing in production. */
export function readAwaits(flight: Flight, row: number): Awaited[] {
  const awaits = readDebugValues(flight, row).flatMap((value) => readAwaited(flight, value) ?? []);
  return awaits.toSorted((a, b) => a.start - b.start);
}

function readAwaited(flight: Flight, value: Value): Awaited | undefined {
  const io = followEntry(flight, value, 'awaited');
  if (io?.kind !== 'object') return undefined;
  const { name, stack } = readDebugInfo(flight, io);
  const start = findEntry(flight, io, 'start');
  const end = findEntry(flight, io, 'end');
  if (start?.kind !== 'number' || end?.kind !== 'number' || end.value < start.value) return undefined;
  const owner = followEntry(flight, value, 'owner');
  const [call] = stack;
  return {
    name: name ?? 'something',
    url: readUrl(flight, io),
    ms: end.value - start.value,
    start: start.value,
    end: end.value,
    row: io.row,
    component: owner && readDebugInfo(flight, owner).name,
    source: call && toPlace(call),
  };
}

/** The address of a `Response` that came. Without its query, which may hold secrets. */
function readUrl(flight: Flight, io: Value): string | undefined {
  const value = findEntry(flight, io, 'value');
  const found = value?.kind === 'promise' ? resolveTarget(flight, value) : undefined;
  const url = found?.kind === 'value' ? findEntry(flight, found.value, 'url') : undefined;
  const text = url && readText(flight, url);
  return text ? text.replace(/[?#].*$/, '').slice(0, maxUrl) : undefined;
}

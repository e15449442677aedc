import { countOf, maxParts, minWaitMs, type Finding, type FindingPart } from './finding.ts';
import type { Flight } from './flight.ts';
import { formatDuration } from './format-numbers.ts';
import type { GivenPromise } from './holes.ts';
import { printRow } from './print-value.ts';
import { readRow } from './row.ts';
import { readValuePath } from './value-path.ts';

/** A promise with the time between being given and being settled. */
type Late = { readonly promise: GivenPromise; readonly row: number; readonly ms: number };

/**
 * Promises in the props of client components that were settled late. What a component does with one is in its code alone: it may
 * have a Suspense boundary of its own, or never read it. So this is a note, and no time that anything waited.
 */
export function findLatePromises(flight: Flight, promises: readonly GivenPromise[]): Finding[] {
  const late = promises
    .flatMap((promise) => {
      const { row, givenAt, settledAt } = promise;
      if (row === undefined || givenAt === undefined || settledAt === undefined) return [];
      return settledAt - givenAt < minWaitMs ? [] : [{ promise, row, ms: Math.round(settledAt - givenAt) }];
    })
    .toSorted((a, b) => b.ms - a.ms);
  const [longest] = late;
  if (!longest) return [];
  const isOne = late.length === 1;
  const title = isOne
    ? `${describe(flight, longest)}.`
    : `${countOf(late.length, 'promise')} that client code was given came ${listTimes(late)} after being given.`;
  const advice = `Whether anything waited for ${isOne ? 'it' : 'them'} cannot be known from the payload: what client code does with a promise is not in it. Where it is read with use(), the nearest Suspense boundary shows its fallback until then, be it in the payload or in that code.`;
  const parts = isOne ? [] : late.slice(0, maxParts).map((one) => toPart(flight, one));
  const { place } = longest.promise;
  const unknown = { bytes: undefined, compressed: undefined, ms: undefined };
  return [{ kind: 'promise', weight: 'note', title, advice, ...unknown, place, parts }];
}

function listTimes(late: readonly Late[]): string {
  const [least, most] = [late.at(-1)?.ms ?? 0, late[0]?.ms ?? 0].map(formatDuration);
  return least === most ? `${most}` : `${least} to ${most}`;
}

function toPart(flight: Flight, late: Late): FindingPart {
  const { place } = late.promise;
  return { title: describe(flight, late), bytes: undefined, compressed: undefined, ms: undefined, place };
}

/** Characters of a prop's name, or of the keys within it. */
const maxName = 60;

/** `The promise "reviews" of <Comments> came 600 ms after it was given, in row 3 ("late")`. */
function describe(flight: Flight, { promise, row, ms }: Late): string {
  const { place, around, id } = promise;
  const path = place.start === undefined ? undefined : readValuePath(flight, place.row, place.start);
  const steps = path?.steps ?? [];
  // Keys within the props of the component. In a row of its own, keys of that row.
  const from = steps.findLastIndex(({ container }) => container.kind === 'element');
  const keys = steps.slice(from < 0 ? 0 : from + 1).map(({ key, index }) => key ?? String(index));
  const name = keys.length === 0 ? '' : ` ${JSON.stringify(keys.join('.').slice(0, maxName))}`;
  const whose = around.kind === 'client' ? `<${around.name}>` : 'the framework’s data';
  const what = printRow(flight, readRow(flight, row));
  const came = promise.state === 'failed' ? 'failed' : 'came';
  return `The promise${name} of ${whose} ${came} ${formatDuration(ms)} after it was given, in row ${id.toString(16)} (${what})`;
}

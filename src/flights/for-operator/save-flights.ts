import 'server-only';

import { fillOneFile, openFlights, writeFlightFile, type OneFile, type SavedFlight } from '#flight';
import { toSavedFlight } from '#src/flights/interface/decode/to-saved-flight.ts';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import type { RecordedFlight } from '../flight/flight-record.ts';
import { toFlightFile } from '../flight/to-flight-file.ts';

import { readServerTime } from './read-spans.ts';
import { readTemplate } from './read-template.ts';
import { readSourcesOf } from './sources-of-flight.ts';

/** The payload of a recorded flight and, of an action, its arguments as they were recorded: as an exported flight has them. */
async function listSaved(recorded: RecordedFlight): Promise<SavedFlight[]> {
  const file = writeFlightFile(toFlightFile(recorded, await readServerTime(recorded)));
  const sources = [...(await readSourcesOf(recorded))];
  const opened = await openFlights(new TextEncoder().encode(file));
  if (opened.kind !== 'flights') return [];
  return await Promise.all(opened.flights.map((found) => toSavedFlight(found, nameFlight(recorded), sources)));
}

async function answer(name: string, file: Omit<OneFile, 'savedAt'>): Promise<Response> {
  const html = await fillOneFile(await readTemplate(), { ...file, savedAt: new Date().toISOString() });
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Never shown on this origin: it is another document, with a policy of its own.
      'content-disposition': `attachment; filename="${name}.html"`,
      'cache-control': 'private, no-store',
    },
  });
}

/** A flight with its viewer in one file; undefined when there is nothing of it to show. */
export async function saveFlight(
  recorded: RecordedFlight,
  { title = `${nameFlight(recorded)} (${recorded.kind})`, texts = [] }: Partial<Pick<OneFile, 'title' | 'texts'>> = {},
): Promise<Response | undefined> {
  const flights = await listSaved(recorded);
  if (flights.length === 0) return undefined;
  return await answer(`flight-${recorded.id}`, { title, flights, comparisons: [], texts });
}

/** Two flights compared, in one file; undefined when one of them has no payload. */
export async function saveComparison(before: RecordedFlight, after: RecordedFlight): Promise<Response | undefined> {
  const [[first], [second]] = [await listSaved(before), await listSaved(after)];
  if (first?.direction !== 'response' || second?.direction !== 'response') return undefined;
  const title = `Flights ${before.id} and ${after.id}: ${nameFlight(after)}`;
  const comparisons = [{ title, before: 0, after: 1, lines: [] }];
  return await answer(`flights-${before.id}-${after.id}`, { title, flights: [first, second], comparisons, texts: [] });
}

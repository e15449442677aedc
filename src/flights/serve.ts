import 'server-only';

import { receiveAt, type Endpoint, type Step } from '#src/server/adapter/step.ts';
import { usagePath } from '#src/server/http/addresses.ts';
import { readRecordAll } from '#src/apps/record-all.ts';
import { addFlightSink } from '#src/runtime/renderer/flight-observer.ts';
import type { AgeClock } from '#src/store/age-clock.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { flightUsage } from './middleware/flight-usage.ts';
import { findFlightsApp, receiveFlights } from './middleware/receive-flights.ts';
import { findTracesApp, receiveTraces } from './middleware/receive-traces.ts';
import { recordFlights, recordFlightsOfFile } from './middleware/record-flights.ts';
import { startRecorder } from './recorder/recorder.ts';

/**
 * Recorded responses, as a part of the server: what this server's own are told by, where those of others are received, and the recorder.
 */

export const recordingStep: Step = { middleware: recordFlights(), file: recordFlightsOfFile };

/** Open to apps with their keys. */
export const flightEndpoints: readonly Endpoint[] = [
  receiveAt((path) => findFlightsApp(path) !== undefined, 'keyed', receiveFlights()),
  receiveAt((path) => findTracesApp(path) !== undefined, 'keyed', receiveTraces()),
];

/** Below `access`: whoever may ask for a page may say what became of it. */
export const usageEndpoint: Endpoint = receiveAt(usagePath, 'report', flightUsage(usagePath));

/** Records from now on what is answered. */
export async function startRecording(store: Store, build: string, readAge: AgeClock): Promise<() => Promise<void>> {
  return startRecorder({
    addSink: addFlightSink,
    build,
    hasRoom: store.admitsFiles,
    readAge,
    allUntil: await readRecordAll(ownApp, store),
  });
}

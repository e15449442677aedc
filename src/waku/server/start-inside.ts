import 'server-only';

import type { RecorderAddress } from '#report/recorder-url.ts';
import { replaceLog } from '#src/server/http/log.ts';
import { runUntimed } from '#src/runtime/timing/time-calls.ts';
import { addErrorSink, type ErrorSink, settleDeliveries } from '#src/runtime/errors/report-error.ts';
import { createSender, type Sender } from '#report/sender/create-sender.ts';

import { printForApp, warnInApp } from './print-for-app.ts';
import type { AppRecording } from './recording.ts';
import type { FlightsToStart } from './start-flights.ts';

/**
 * What Flight Recorder does inside somebody else's app, from the start of its server to the end: errors go to the recorder with
 * the digest held back, flights into the recording. The app comes first: what cannot be started is one line in its output, and
 * the app runs without it.
 */
export type InsideOptions = FlightsToStart & {
  /** Undefined where errors are the app's own business. */
  readonly createSink: ((sender: Sender) => ErrorSink) | undefined;
  /** Undefined where no flights are recorded. */
  readonly startFlights: ((flights: FlightsToStart) => Promise<AppRecording | undefined>) | undefined;
};

/** What runs: of this process, whichever copy of this module asks. */
type Inside = {
  /** Undefined while there is none. */
  readonly readAddress: () => RecorderAddress | undefined;
  /** There is a recorder, and no interface in the app. */
  readonly isElsewhere: boolean;
  readonly recording: AppRecording | undefined;
};

declare global {
  var __FLIGHT_INSIDE__: (Inside & { readonly stop: () => Promise<void> }) | undefined;
}

/** Returns undefined before the start: then nothing is recorded. */
export function currentInside(): Inside | undefined {
  return globalThis.__FLIGHT_INSIDE__;
}

/**
 * Call it once, before the first request is answered. Called again, as a dev server does that evaluates its modules anew, it ends
 * what it began before.
 * @returns a function that sends and writes what waits, and ends it. It never rejects
 */
export async function startInside(options: InsideOptions): Promise<() => Promise<void>> {
  await globalThis.__FLIGHT_INSIDE__?.stop();
  const { beside, createSink, startFlights } = options;
  const readAddress = () => beside.read()?.recorder;
  const restoreLog = replaceLog(printForApp);
  const sender = createSender({
    address: readAddress,
    warn: warnInApp,
    gatherMs: 0,
    fetch: (...request) => runUntimed(() => fetch(...request)),
  });
  const removeSink = createSink ? addErrorSink(createSink(sender)) : () => undefined;
  const recording = await startFlights?.(options);

  async function stop(): Promise<void> {
    if (globalThis.__FLIGHT_INSIDE__ === inside) globalThis.__FLIGHT_INSIDE__ = undefined;
    await settleDeliveries();
    removeSink();
    await Promise.all([recording?.stop(), sender.settle()]);
    restoreLog();
  }

  const isElsewhere = beside.data === undefined && readAddress() !== undefined;
  const inside = { readAddress, isElsewhere, recording, stop };
  globalThis.__FLIGHT_INSIDE__ = inside;
  return stop;
}

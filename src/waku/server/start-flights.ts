import 'server-only';

import path from 'node:path';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { addFlightSink } from '#src/runtime/renderer/flight-observer.ts';

import type { Beside } from '../interface/beside.ts';
import type { AppRecording } from './recording.ts';

export type FlightsToStart = {
  readonly app: string;
  /** The interface beside the app, or what `startElsewhere` gives. */
  readonly beside: Pick<Beside, 'data' | 'read' | 'readPolicy'>;
  /** Where flights wait that a recorder elsewhere has not taken yet: in a folder below it. */
  readonly spool?: string | undefined;
  readonly release: string;
};

/** Undefined where nothing can be recorded: why has been said. It never rejects. */
export async function startFlights({
  app,
  beside,
  spool = 'data',
  release,
}: FlightsToStart): Promise<AppRecording | undefined> {
  const { data, read, readPolicy } = beside;
  try {
    const shipTo = data === undefined ? read()?.recorder : undefined;
    // There is neither a folder that can be used nor a recorder elsewhere: that has been said.
    if (data === undefined && !shipTo) return undefined;
    const { startRecording } = await import('./recording.ts');
    const folder = data ?? path.resolve(spool, `spool-${app}`);
    return await startRecording({ app, folder, shipTo, readPolicy, release, addSink: addFlightSink });
  } catch (error) {
    writeLog('error', 'flights-not-recorded', { reason: describeError(error) });
    return undefined;
  }
}

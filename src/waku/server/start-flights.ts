import 'server-only';

import path from 'node:path';

import { describeError } from '#src/http/describe-error.ts';
import { writeLog } from '#src/http/log.ts';
import { addFlightSink } from '#src/runtime/renderer/flight-observer.ts';

import type { Beside } from '../interface/beside.ts';
import { chooseDataFolder, prepareData } from '../interface/prepare-data.ts';
import type { AppRecording } from './recording.ts';

export type FlightsToStart = {
  readonly app: string;
  /** The interface beside the app, or what `startElsewhere` gives. */
  readonly beside: Pick<Beside, 'data' | 'read' | 'readPolicy'>;
  /** The data folder as the option says it: below it flights wait that a recorder elsewhere has not taken yet. */
  readonly data?: string | undefined;
  readonly release: string;
};

/** @throws with one line when nothing can wait there */
function prepareSpool(given: string | undefined, app: string): string {
  const data = chooseDataFolder(given);
  prepareData(data);
  return path.join(data, `spool-${app}`);
}

/** Undefined where nothing can be recorded: why has been said. It never rejects. */
export async function startFlights({ app, beside, data, release }: FlightsToStart): Promise<AppRecording | undefined> {
  const { data: recorded, read, readPolicy } = beside;
  try {
    const shipTo = recorded === undefined ? read()?.recorder : undefined;
    // There is neither a folder that can be used nor a recorder elsewhere: that has been said.
    if (recorded === undefined && !shipTo) return undefined;
    const { startRecording } = await import('./recording.ts');
    const folder = recorded ?? prepareSpool(data, app);
    return await startRecording({ app, folder, shipTo, readPolicy, release, addSink: addFlightSink });
  } catch (error) {
    writeLog('error', 'flights-not-recorded', { reason: describeError(error) });
    return undefined;
  }
}

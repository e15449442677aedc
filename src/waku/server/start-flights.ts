import 'server-only';

import path from 'node:path';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { addFlightSink } from '#src/runtime/renderer/flight-observer.ts';

import type { Beside } from '../beside/beside.ts';
import { readVariable } from '#src/server/environment/variables.ts';
import { chooseDataFolder, prepareData } from '#src/store/prepare-data.ts';
import { warnInApp } from './print-for-app.ts';
import type { AppRecording } from './recording.ts';

export type FlightsToStart = {
  readonly app: string;
  /** The interface beside the app, or what `startElsewhere` gives. */
  readonly beside: Pick<Beside, 'data' | 'read' | 'readPolicy' | 'unset'>;
  /** The data folder as the option says it: below it flights wait that a recorder elsewhere has not taken yet. */
  readonly data?: string | undefined;
  readonly release: string;
  /** The build lets the app's components tell what they wait for. */
  readonly isTimed: boolean;
};

/** @throws with one line when nothing can wait there */
function prepareSpool(given: string | undefined, app: string): string {
  const data = chooseDataFolder(given ?? readVariable('FLIGHT_DATA'));
  prepareData(data);
  return path.join(data, `spool-${app}`);
}

/** Returns undefined where nothing can be recorded: why has been said. It never rejects. */
export async function startFlights({
  app,
  beside,
  data,
  release,
  isTimed,
}: FlightsToStart): Promise<AppRecording | undefined> {
  const { data: recorded, read, readPolicy, unset } = beside;
  try {
    const shipTo = recorded === undefined ? read()?.recorder : undefined;
    // There is neither a folder that can be used nor a recorder elsewhere: that has been said.
    if (recorded === undefined && !shipTo) return undefined;
    const { startRecording } = await import('./recording.ts');
    const folder = recorded ?? prepareSpool(data, app);
    return await startRecording({
      app,
      folder,
      shipTo,
      readPolicy,
      unset,
      release,
      isTimed,
      addSink: addFlightSink,
      warn: warnInApp,
    });
  } catch (error) {
    writeLog('error', 'flights-not-recorded', { reason: describeError(error) });
    return undefined;
  }
}

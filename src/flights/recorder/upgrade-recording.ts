import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import { isOfEarlierVersion } from './flights-reader.ts';
import type { WriteFlights } from './write-flights.ts';

/** Of an earlier build's recording nothing is read before the writer has upgraded it, and it may have nothing to write for days. */
export async function upgradeRecording(writer: WriteFlights): Promise<void> {
  try {
    if (await isOfEarlierVersion()) await writer.ask({ type: 'losses', losses: [] });
  } catch (error) {
    writeLog('warn', 'recording-not-upgraded', { reason: describeError(error) });
  }
}

import { describeError } from '#boundary';
import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import { writeLog } from '#src/server/http/log.ts';

import type { WriteFlights } from './write-flights.ts';

/** For the app's page. What cannot be kept now is told at the next start. */
export function noteInstalled(writer: WriteFlights, app: string, packages: readonly InstalledPackage[]): void {
  writer.ask({ type: 'installed', app, packages }).catch((error: unknown) => {
    writeLog('warn', 'versions-not-kept', { reason: describeError(error) });
  });
}

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import type { ModuleFiles } from '../flight/module-files.ts';
import type { WriteFlights } from './write-flights.ts';

/** So that the pages of its flights name files. What cannot be kept now is told at the next start. */
export function noteModules(writer: WriteFlights, app: string, build: string, files: ModuleFiles): void {
  writer.ask({ type: 'modules', app, build, files }).catch((error: unknown) => {
    writeLog('warn', 'modules-not-kept', { reason: describeError(error) });
  });
}

import { describeError } from '#boundary';
import { formatPolicy, type Policy } from '#src/apps/policy.ts';
import { writeLog } from '#src/server/http/log.ts';

import type { WriteFlights } from './write-flights.ts';

/** For the interface, which is another process: what is kept of the app where it has no setting. What cannot be kept now is told again. */
export function noteKept(writer: WriteFlights, app: string, policy: Policy): void {
  writer.ask({ type: 'kept', app, record: formatPolicy(policy) }).catch((error: unknown) => {
    writeLog('warn', 'record-not-told', { reason: describeError(error) });
  });
}

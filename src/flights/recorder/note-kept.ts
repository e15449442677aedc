import { describeError } from '#boundary';
import { formatPolicy, type Policy } from '#src/apps/policy.ts';
import { writeLog } from '#src/server/http/log.ts';

import type { WriteFlights } from './write-flights.ts';

/** Tells the interface, another process, what is kept of an app without a setting. A next start tells what cannot be told now. */
export function noteKept(writer: WriteFlights, app: string, policy: Policy): void {
  writer.ask({ type: 'kept', app, record: formatPolicy(policy) }).catch((error: unknown) => {
    writeLog('warn', 'record-not-told', { reason: describeError(error) });
  });
}

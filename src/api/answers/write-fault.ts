import { faultPath, readApiAddress } from '#src/server/http/addresses.ts';
import { countErrors } from '#src/faults/grouping/counted.ts';
import type { FaultSummary } from '#src/faults/grouping/read-faults.ts';

import type { FaultItem } from '../schemas/faults.ts';
import { toTime } from '../schemas/values.ts';

/** What every answer says of a fault. */
export function writeFault(fault: FaultSummary, origin: string): Omit<FaultItem, 'recent' | 'found'> {
  return {
    id: fault.id,
    app: fault.app,
    side: fault.side,
    name: fault.name,
    message: fault.message,
    culprit: fault.culprit,
    level: fault.level,
    state: fault.state,
    unseen: fault.unseen,
    firstTime: toTime(fault.firstTime),
    lastTime: toTime(fault.lastTime),
    firstRelease: fault.firstRelease,
    lastRelease: fault.lastRelease,
    errors: countErrors(fault),
    untrusted: fault.untrusted,
    users: fault.users,
    page: origin + faultPath(fault.id),
    self: readApiAddress('faults', fault.id),
  };
}

import type { Finding } from '#flight';

import type { CheckFinding, Severity } from './check-finding.ts';
import type { CheckedRoute } from './check-route.ts';

const bySign: Readonly<Record<Finding['weight'], Severity>> = {
  problem: 'high',
  wait: 'low',
  cost: 'low',
  note: 'note',
};

/** What else than its weight says how bad it is. */
const byKind: Partial<Record<Finding['kind'], Severity>> = {
  development: 'high',
  // A prerender ends so by design.
  halted: 'note',
};

export function judgePayload({ path, report }: CheckedRoute): CheckFinding[] {
  return (report?.findings ?? []).map(({ kind, weight, title, advice }) => ({
    kind,
    severity: byKind[kind] ?? bySign[weight],
    title,
    advice,
    paths: [path],
  }));
}

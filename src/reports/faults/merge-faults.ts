import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';

import type { TriageResult } from './triage.ts';

/** Makes one fault of several. @param into one of them; without it the oldest stays. */
export async function mergeFaults(faults: readonly string[], into?: string): Promise<TriageResult> {
  requireOperator();
  throw new Error(`Not built yet: merging ${faults.length} faults into ${into ?? 'the oldest'}`);
}

/** Makes a fault of its own of some of a fault's hashes. */
export async function splitFault(fault: string, hashes: readonly string[]): Promise<TriageResult> {
  requireOperator();
  throw new Error(`Not built yet: splitting ${hashes.length} hashes off ${fault}`);
}

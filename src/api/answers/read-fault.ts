import 'server-only';

import { describeGrouping } from '#src/faults/interface/faults/describe-grouping.ts';
import { faultPath } from '#src/server/http/addresses.ts';
import type { FaultState } from '#src/faults/grouping/fault-state.ts';
import { type FaultDetails as Details, findFaultPage } from '#src/faults/grouping/find-fault-page.ts';
import { listLatestOfSide, type ShownError } from '#src/faults/grouping/kept-errors.ts';
import { readFaultHashes } from '#src/faults/grouping/read-fault-hashes.ts';
import { readFaultSpread } from '#src/faults/grouping/read-fault-spread.ts';
import { readFault as readSummary } from '#src/faults/grouping/read-faults.ts';
import { findErrorDetailsById, findBrowserErrorDetails } from '#src/faults/digests/find-error-details.ts';

import { type ApiAnswer, type ApiQuestion, notFound } from '../answer.ts';
import { mayReadApp } from '../scope.ts';
import type { FaultDetails } from '../schemas/faults.ts';
import { toTime } from '../schemas/values.ts';
import { writeFault } from './write-fault.ts';
import { writeErrorDetails } from './write-error-details.ts';

function describeState(state: FaultState): string | null {
  switch (state.type) {
    case 'open':
    case 'muted':
      return null;
    case 'resolved':
      return state.in.type === 'release' ? `in release ${state.in.release}` : `in ${state.in.type}`;
    case 'snoozed':
      return state.until.type === 'time'
        ? `until ${toTime(state.until.time)}`
        : `until ${state.until.count} times in ${state.until.hours} h`;
  }
}

async function readLatest(shown: ShownError | undefined, origin: string): Promise<FaultDetails['latest']> {
  if (!shown) return null;
  const { side, key } = shown.shown;
  const details = await (side === 'server' ? findErrorDetailsById(key) : findBrowserErrorDetails(key));
  return details ? writeErrorDetails(details, origin) : null;
}

const errorsListed = 20;

async function writeDetails(fault: Details, shown: ShownError | undefined, origin: string): Promise<FaultDetails> {
  const { hashes } = await readFaultHashes(fault.id);
  const { spreads } = await readFaultSpread(fault.id);
  // What browsers report of a server's fault says nothing of it: `latest` has the reports of its own error.
  const errors = await listLatestOfSide(fault.id, fault.side, errorsListed);
  return {
    ...writeFault(fault, origin),
    stateSince: toTime(fault.stateTime),
    stateDetails: describeState(fault.stateDetails),
    kept: fault.side === 'server' ? fault.kept - fault.keptUntrusted : fault.kept,
    grouping: hashes.map(({ hash, rule, parts, count, lastTime }) => ({
      fingerprint: hash,
      explanation: describeGrouping({ rule, parts }),
      parts: [...parts],
      count,
      lastTime: toTime(lastTime),
    })),
    spread: spreads.map(({ values, ...spread }) => ({ ...spread, values: values.map((value) => ({ ...value })) })),
    log: fault.activities.map(({ time, type, by, undone }) => ({
      time: toTime(time),
      type,
      by,
      isUndone: undone !== null,
    })),
    latestErrors: errors.map(({ time, ...error }) => ({
      ...error,
      time: toTime(time),
      page: origin + faultPath(fault.id, error.key),
    })),
    latest: await readLatest(shown, origin),
  };
}

/** Answers for a merged fault with the one that it was merged into. */
export async function readFault({ id, access, origin }: ApiQuestion): Promise<ApiAnswer> {
  const summary = await readSummary(id);
  const read = summary && (await findFaultPage(summary.id));
  if (read?.type !== 'found' || !mayReadApp(access, read.fault.app)) return notFound('no such fault');
  return { type: 'json', body: await writeDetails(read.fault, read.shown, origin) };
}

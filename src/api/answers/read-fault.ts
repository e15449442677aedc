import 'server-only';

import { describeGrouping } from '#src/components/faults/describe-grouping.ts';
import { faultPath } from '#src/http/addresses.ts';
import type { FaultState } from '#src/reports/faults/fault-state.ts';
import { type FaultDetails as Details, findFaultPage } from '#src/reports/faults/find-fault-page.ts';
import { listLatestOfSide, type ShownOccurrence } from '#src/reports/faults/kept-occurrences.ts';
import { readFaultHashes } from '#src/reports/faults/read-fault-hashes.ts';
import { readFaultSpread } from '#src/reports/faults/read-fault-spread.ts';
import { readFault as readSummary } from '#src/reports/faults/read-faults.ts';
import { findIncidentById, findIncidentOfReport } from '#src/reports/find-incident.ts';

import { type ApiAnswer, type ApiQuestion, notFound } from '../answer.ts';
import { mayReadApp } from '../scope.ts';
import type { FaultDetails } from '../schemas/faults.ts';
import { toTime } from '../schemas/values.ts';
import { writeFault } from './write-fault.ts';
import { writeIncident } from './write-incident.ts';

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

async function readLatest(shown: ShownOccurrence | undefined, origin: string): Promise<FaultDetails['latest']> {
  if (!shown) return null;
  const { side, key } = shown.shown;
  const incident = await (side === 'server' ? findIncidentById(key) : findIncidentOfReport(key));
  return incident ? writeIncident(incident, origin) : null;
}

const occurrencesListed = 20;

async function writeDetails(fault: Details, shown: ShownOccurrence | undefined, origin: string): Promise<FaultDetails> {
  const { hashes } = await readFaultHashes(fault.id);
  const { spreads } = await readFaultSpread(fault.id);
  // What browsers claim of a server's fault says nothing of it: `latest` has the reports of its own error.
  const occurrences = await listLatestOfSide(fault.id, fault.side, occurrencesListed);
  return {
    ...writeFault(fault, origin),
    stateSince: toTime(fault.stateTime),
    stateDetails: describeState(fault.stateDetails),
    kept: fault.side === 'server' ? fault.kept - fault.keptClaims : fault.kept,
    grouping: hashes.map(({ hash, rule, parts, count, lastTime }) => ({
      fingerprint: hash,
      explanation: describeGrouping({ rule, parts }),
      parts: [...parts],
      count,
      lastTime: toTime(lastTime),
    })),
    spread: spreads.map(({ values, ...spread }) => ({ ...spread, values: values.map((value) => ({ ...value })) })),
    log: fault.turns.map(({ time, type, by, undone }) => ({ time: toTime(time), type, by, isUndone: undone !== null })),
    latestOccurrences: occurrences.map(({ time, ...occurrence }) => ({
      ...occurrence,
      time: toTime(time),
      page: origin + faultPath(fault.id, occurrence.key),
    })),
    latest: await readLatest(shown, origin),
  };
}

/** Of one that was merged: the fault that it was merged into. */
export async function readFault({ id, access, origin }: ApiQuestion): Promise<ApiAnswer> {
  const summary = await readSummary(id);
  const read = summary && (await findFaultPage(summary.id));
  if (read?.type !== 'found' || !mayReadApp(access, read.fault.app)) return notFound('no such fault');
  return { type: 'json', body: await writeDetails(read.fault, read.shown, origin) };
}

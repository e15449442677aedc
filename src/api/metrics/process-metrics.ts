import 'server-only';

import { deliveryCounts } from '#src/faults/alerts/send-deliveries.ts';
import { readLoadSample } from '#src/server/http/load.ts';
import { loadLevels } from '#src/server/http/load-level.ts';
import { receiptCounts } from '#src/server/http/receipt-counts.ts';
import { refusalCounts, requestCounts } from '#src/server/http/request-counts.ts';
import type { Tally } from '#src/server/http/tally.ts';
import { outcomeCounts } from '#src/faults/receive/outcomes.ts';
import { countUnstoredErrors } from '#src/faults/kept/record-error.ts';
import { storedCounts } from '#src/faults/kept/stored-errors.ts';

import { single, type Metric, type Sample } from './metric.ts';

/** A tally's two words under the names of two labels. */
export function readTally(tally: Pick<Tally, 'read'>, first: string, second: string): readonly Sample[] {
  return tally.read().map((one) => ({ labels: { [first]: one.first, [second]: one.second }, value: one.value }));
}

const msPerSecond = 1_000;

/** What is asked of this process and what comes of it. */
export const requestMetrics: readonly Metric[] = [
  {
    name: 'flight_recorder_processes',
    help: 'Always 1: its sum is the number of processes of this server that have answered.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: () => single(1),
  },
  {
    name: 'flight_recorder_requests_total',
    help: 'Requests that were answered, by kind and class of status. A file is an asset; a probe asked for the health or the metrics; what is unread was refused before it was a request.',
    of: 'process',
    type: 'counter',
    labels: ['kind', 'status'],
    read: () => readTally(requestCounts, 'kind', 'status'),
  },
  {
    name: 'flight_recorder_refusals_total',
    help: 'Requests that were not carried out, by code and by who refused: the port, before it was a request, or the app.',
    of: 'process',
    type: 'counter',
    labels: ['code', 'by'],
    read: () => readTally(refusalCounts, 'code', 'by'),
  },
  {
    name: 'flight_recorder_received_total',
    help: 'Requests that brought reports, errors, flights, source maps or feedback, by endpoint and by what came of them: kept, or the code of the refusal. One may bring many.',
    of: 'process',
    type: 'counter',
    labels: ['endpoint', 'outcome'],
    read: () => readTally(receiptCounts, 'endpoint', 'outcome'),
  },
  {
    name: 'flight_recorder_report_items_dropped_total',
    help: 'Items of reports that were not kept, by who dropped them (this receiver, or the SDK of a client by its own word) and why.',
    of: 'process',
    type: 'counter',
    labels: ['source', 'reason'],
    read: () => readTally(outcomeCounts, 'source', 'reason'),
  },
  {
    name: 'flight_recorder_errors_total',
    help: 'Errors that were stored, by side and by the phase that was told first: an app’s output tells none. What browsers report is untrusted.',
    of: 'process',
    type: 'counter',
    labels: ['side', 'phase'],
    read: () => readTally(storedCounts, 'side', 'phase'),
  },
  {
    name: 'flight_recorder_errors_unstored_total',
    help: 'Errors of this server that only its log has.',
    of: 'process',
    type: 'counter',
    labels: [],
    read: () => single(countUnstoredErrors()),
  },
  {
    name: 'flight_recorder_alerts_total',
    help: 'Attempts to send an alert, by kind of channel and by what came of it: sent, failed and tried again, or given up.',
    of: 'process',
    type: 'counter',
    labels: ['channel', 'outcome'],
    read: () => readTally(deliveryCounts, 'channel', 'outcome'),
  },
  {
    name: 'flight_recorder_event_loop_delay_seconds',
    help: 'How late timers run: the 99th percentile of the last half second.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: () => single((readLoadSample()?.delayMs ?? Number.NaN) / msPerSecond),
  },
  {
    name: 'flight_recorder_event_loop_utilization_ratio',
    help: 'Share of the last half second in which the event loop was busy.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: () => single(readLoadSample()?.utilization),
  },
  {
    name: 'flight_recorder_load_level',
    help: 'What is turned away because of the load: 0 nothing, 1 reports, 2 prefetches too, 3 pages too.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: () => single(toLevel()),
  },
];

function toLevel(): number | undefined {
  const level = readLoadSample()?.level;
  return level && loadLevels.indexOf(level);
}

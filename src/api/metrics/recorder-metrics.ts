import 'server-only';

import { flightByteCounts, flightCounts } from '#src/flights/recorder/flight-counts.ts';
import { countTries } from '#src/flights/recorder/count-tries.ts';
import { readLeaks } from '#src/flights/recorder/leak-totals.ts';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import { countStorms } from '#src/flights/recorder/storm-totals.ts';
import { readTelemetryCounts } from '#src/flights/recorder/writer-telemetry.ts';
import { fates, signals } from '#src/flights/telemetry/counts.ts';

import { single, type Metric, type Sample } from './metric.ts';
import { readTally } from './process-metrics.ts';

function readDrops(): readonly Sample[] {
  return Object.entries(readRecordingState()?.drops ?? {}).map(([reason, value]) => ({ labels: { reason }, value }));
}

function readTelemetry(isWaiting: boolean): readonly Sample[] {
  const counts = readTelemetryCounts();
  if (!counts) return [];
  return signals.flatMap((signal) =>
    fates
      .filter((fate) => (fate === 'waiting') === isWaiting)
      .map((fate) => ({
        labels: isWaiting ? { signal } : { signal, outcome: fate },
        value: counts.read(signal, fate),
      })),
  );
}

async function readLeakCounts(): Promise<Sample[]> {
  const groups = Map.groupBy(await readLeaks(), ({ app, rule }) => JSON.stringify([app, rule]));
  return [...groups.values()].flatMap((leaks) => {
    const [first] = leaks;
    const value = leaks.reduce((sum, { count }) => sum + count, 0);
    return first ? [{ labels: { app: first.app, rule: first.rule }, value }] : [];
  });
}

/** Flights, on their way to the file and to others. */
export const recorderMetrics: readonly Metric[] = [
  {
    name: 'flight_recorder_flights_total',
    help: 'Flights that this process has written into the recording, by app and by how the stream ended. Hits that are counted together count one by one.',
    of: 'process',
    type: 'counter',
    labels: ['app', 'outcome'],
    read: () => readTally(flightCounts, 'app', 'outcome'),
  },
  {
    name: 'flight_recorder_flight_bytes_total',
    help: 'Bytes of those flights before compression: their rows, or the document.',
    of: 'process',
    type: 'counter',
    labels: ['app', 'outcome'],
    read: () => readTally(flightByteCounts, 'app', 'outcome'),
  },
  {
    name: 'flight_recorder_flights_dropped_total',
    help: 'Flights that were not kept: too much waited for the disk (memory), it could not be written (disk), the writer ended early (thread). Usage: a note about a prefetch.',
    of: 'process',
    type: 'counter',
    labels: ['reason'],
    read: readDrops,
  },
  {
    name: 'flight_recorder_forged_requests',
    help: 'Requests that no client of React could have sent, as long as they are kept, by app, by the rule that was broken and by the advisory whose shape they had.',
    of: 'shared',
    type: 'gauge',
    labels: ['app', 'rule', 'advisory'],
    read: async () =>
      (await countTries()).map(({ app, rule, advisory, count }) => ({ labels: { app, rule, advisory }, value: count })),
  },
  {
    name: 'flight_recorder_leaks',
    help: 'Responses with a secret in the payload, or that caches may give to the wrong visitors, as long as they are kept, by app and by rule. Busy pages are counted in part.',
    of: 'shared',
    type: 'gauge',
    labels: ['app', 'rule'],
    read: readLeakCounts,
  },
  {
    name: 'flight_recorder_storm_requests',
    help: 'Requests of tabs that ask for the same again and again, as long as they are kept, by app.',
    of: 'shared',
    type: 'gauge',
    labels: ['app'],
    read: async () => (await countStorms()).map(({ app, requests }) => ({ labels: { app }, value: requests })),
  },
  {
    name: 'flight_recorder_recorder_memory_bytes',
    help: 'Memory that flights take until they are written.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: () => single(readRecordingState()?.memoryBytes),
  },
  {
    name: 'flight_recorder_recorder_memory_limit_bytes',
    help: 'What they may take at most. What comes then is dropped.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: () => single(readRecordingState()?.memoryLimit),
  },
  {
    name: 'flight_recorder_recording_bytes',
    help: 'Size of the recording, as its writer knew it last.',
    of: 'shared',
    type: 'gauge',
    labels: [],
    read: () => single(readRecordingState()?.bytes),
  },
  {
    name: 'flight_recorder_recording_limit_bytes',
    help: 'RECORD_MIB: the oldest flights are deleted at this size.',
    of: 'shared',
    type: 'gauge',
    labels: [],
    read: () => single(readRecordingState()?.limits.bytes),
  },
  {
    name: 'flight_recorder_telemetry_total',
    help: 'Spans and log records for the OpenTelemetry collector: sent, failed (it did not take them), dropped (too many were waiting).',
    of: 'process',
    type: 'counter',
    labels: ['signal', 'outcome'],
    read: () => readTelemetry(false),
  },
  {
    name: 'flight_recorder_telemetry_queue',
    help: 'Spans and log records that wait for the collector.',
    of: 'process',
    type: 'gauge',
    labels: ['signal'],
    read: () => readTelemetry(true),
  },
];

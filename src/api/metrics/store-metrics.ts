import 'server-only';

import { commitRefusals, commitSeconds, readCommitQueues } from '#src/store/group-commit.ts';
import { readSpoolState } from '#src/faults/kept/keep.ts';
import { openStore } from '#src/store/open-store.ts';
import { readSeconds, writeSeconds } from '#src/store/statement-times.ts';

import { single, type Metric, type Sample } from './metric.ts';
import { readTally } from './process-metrics.ts';
import { readShared, type Shared } from './read-shared.ts';

function ofShared(pick: (shared: Shared) => number): Metric['read'] & (() => Promise<ReturnType<typeof single>>) {
  return async () => single(pick(await readShared()));
}

type SpoolState = NonNullable<ReturnType<typeof readSpoolState>>;

/** None with SQLite, which is never away. */
function ofSpool(toSamples: (state: SpoolState) => readonly Sample[]): () => Promise<readonly Sample[]> {
  return async () => {
    const state = readSpoolState(await openStore());
    return state ? toSamples(state) : [];
  };
}

/** The database, and what waits for it. */
export const storeMetrics: readonly Metric[] = [
  {
    name: 'flight_recorder_write_queue',
    help: 'Writes that wait for the database, by kind: errors of this server, errors of apps, errors of browsers.',
    of: 'process',
    type: 'gauge',
    labels: ['kind'],
    read: () => readCommitQueues().map(({ kind, waiting }) => ({ labels: { kind }, value: waiting })),
  },
  {
    name: 'flight_recorder_write_queue_bytes',
    help: 'What those writes hold in memory, as far as their senders decide it.',
    of: 'process',
    type: 'gauge',
    labels: ['kind'],
    read: () => readCommitQueues().map(({ kind, bytes }) => ({ labels: { kind }, value: bytes })),
  },
  {
    name: 'flight_recorder_writes_refused_total',
    help: 'Writes that were not committed, by kind and reason: queue-full, no-room, failed.',
    of: 'process',
    type: 'counter',
    labels: ['kind', 'reason'],
    read: () => readTally(commitRefusals, 'kind', 'reason'),
  },
  {
    name: 'flight_recorder_database_away',
    help: 'Whether PostgreSQL does not answer: 1, else 0.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: ofSpool(({ goneSince }) => single(goneSince === undefined ? 0 : 1)),
  },
  {
    name: 'flight_recorder_spool_bytes',
    help: 'What waits on disk until PostgreSQL is back.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: ofSpool(({ bytes }) => single(bytes)),
  },
  {
    name: 'flight_recorder_spool_limit_bytes',
    help: 'What may wait on disk at most. What comes then is refused.',
    of: 'process',
    type: 'gauge',
    labels: [],
    read: ofSpool(({ limitBytes }) => single(limitBytes)),
  },
  {
    name: 'flight_recorder_spool_records_total',
    help: 'Errors and feedback by way of the spool: spooled (added to it), written (in the database by now; those of ended processes too).',
    of: 'process',
    type: 'counter',
    labels: ['outcome'],
    read: ofSpool(({ spooled, written }) => [
      { labels: { outcome: 'spooled' }, value: spooled },
      { labels: { outcome: 'written' }, value: written },
    ]),
  },
  {
    name: 'flight_recorder_spool_lost_total',
    help: 'Records that were lost while PostgreSQL was away, or after: full (the spool had no room), refused (by the database), damaged (could not be read again).',
    of: 'process',
    type: 'counter',
    labels: ['reason'],
    read: ofSpool(({ full, refused, damaged }) => [
      { labels: { reason: 'full' }, value: full },
      { labels: { reason: 'refused' }, value: refused },
      { labels: { reason: 'damaged' }, value: damaged },
    ]),
  },
  {
    name: 'flight_recorder_commit_seconds',
    help: 'From a write to the word that it is on disk, by kind.',
    of: 'process',
    type: 'histogram',
    labels: ['kind'],
    read: () => Object.entries(commitSeconds).map(([kind, one]) => ({ labels: { kind }, observed: one.read() })),
  },
  {
    name: 'flight_recorder_statement_seconds',
    help: 'Time of the database for one statement of the serving thread: read, or write.',
    of: 'process',
    type: 'histogram',
    labels: ['type'],
    read: () => [
      { labels: { type: 'read' }, observed: readSeconds.read() },
      { labels: { type: 'write' }, observed: writeSeconds.read() },
    ],
  },
  {
    name: 'flight_recorder_database_fill_ratio',
    help: 'Share of FLIGHT_DATA_LIMIT that is in use.',
    of: 'shared',
    type: 'gauge',
    labels: [],
    read: async () => single((await openStore()).measureFill()),
  },
  {
    name: 'flight_recorder_database_bytes',
    help: 'Bytes of the database that are in use.',
    of: 'shared',
    type: 'gauge',
    labels: [],
    async read() {
      const { measureFill, limitBytes } = await openStore();
      return single(Math.round(measureFill() * limitBytes));
    },
  },
  {
    name: 'flight_recorder_database_limit_bytes',
    help: 'FLIGHT_DATA_LIMIT: what visitors cause is refused at this size.',
    of: 'shared',
    type: 'gauge',
    labels: [],
    read: async () => single((await openStore()).limitBytes),
  },
  {
    name: 'flight_recorder_stored_rows',
    help: 'Errors that are in the database.',
    of: 'shared',
    type: 'gauge',
    labels: ['table'],
    read: async () => (await readShared()).rows,
  },
  {
    name: 'flight_recorder_faults',
    help: 'Faults by side and state.',
    of: 'shared',
    type: 'gauge',
    labels: ['side', 'state'],
    read: async () => (await readShared()).faults,
  },
  {
    name: 'flight_recorder_fault_errors',
    help: 'Errors of servers in this hour and the one before, by fault: those with most, and all others as one.',
    of: 'shared',
    type: 'gauge',
    labels: ['app', 'fault'],
    read: async () => (await readShared()).faultErrors,
  },
  {
    name: 'flight_recorder_sessions',
    help: 'Browsers that are signed in.',
    of: 'shared',
    type: 'gauge',
    labels: [],
    read: ofShared(({ sessions }) => sessions),
  },
  {
    name: 'flight_recorder_alerts_waiting',
    help: 'Alerts that are to be sent.',
    of: 'shared',
    type: 'gauge',
    labels: [],
    read: ofShared(({ alertsWaiting }) => alertsWaiting),
  },
];

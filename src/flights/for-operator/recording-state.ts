import 'server-only';

import { sql, type Kysely } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import { addOthers } from '#src/store/other-counts.ts';

import { createDrops, type DropCounts } from '../flight/drops.ts';
import type { FlightTables } from '../flight/stored-tables.ts';
import { rememberSlowCount } from './remember-slow-count.ts';
import { readForOperator } from './read-for-operator.ts';
import { partedTables } from '../writer/postgres/tables.ts';
import { readRecordingState, type RecordingState } from '../recorder/recorder.ts';

/** What was not kept by all servers on this database. @param own by this process */
function addDropsOfOthers(own: DropCounts): DropCounts {
  return {
    memory: addOthers('dropped-memory', own.memory),
    disk: addOthers('dropped-disk', own.disk),
    thread: addOthers('dropped-thread', own.thread),
    database: addOthers('dropped-database', own.database),
    unreadable: addOthers('dropped-unreadable', own.unreadable),
    usage: addOthers('dropped-usage', own.usage),
  };
}

/** What is recorded, what it takes, and what was lost. */
export type StoredRecording = RecordingState & {
  /** Of the file or the tables, indexes included; at most `limits.bytes`, but for the last batch. */
  readonly bytes: number;
  /** Counted hits are as many. */
  readonly flights: number;
  /** Milliseconds since 1970. */
  readonly oldestAt: number | undefined;
  /** Of other apps, by the processes in front of them, since the recording was emptied. */
  readonly losses: readonly AppLosses[];
};

/** What was not kept of one app. */
type AppLosses = {
  readonly app: string;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  readonly counts: DropCounts;
};

async function readLosses(db: Kysely<FlightTables>): Promise<AppLosses[]> {
  const rows = await db.selectFrom('loss').selectAll().orderBy('app').execute();
  return [...Map.groupBy(rows, ({ app }) => app)].map(([app, ofApp]) => {
    const counts = createDrops();
    for (const { reason, count } of ofApp) counts.count(reason, count);
    return { app, lastAt: Math.max(...ofApp.map((row) => row.last_time)), counts: counts.read() };
  });
}

async function measureBytes(db: Kysely<FlightTables>): Promise<number> {
  const { bytes } = await db
    .selectNoFrom(dialectOf(db).bytesOfParts(partedTables).as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

/** Two queries: each is answered from an index alone. */
const countFlights = rememberSlowCount(async (db) => {
  const { rows } = await db
    .selectFrom('flight')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  const { more } = await db
    .selectFrom('flight')
    .select(sql<number>`coalesce(sum(hits - 1), 0)`.as('more'))
    .where('last_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return rows + more;
});

/** Returns undefined where there is no recorder. */
export async function readStoredRecording(): Promise<StoredRecording | undefined> {
  const stored = await readForOperator({ bytes: 0, flights: 0, oldestAt: undefined, losses: [] }, async (db) => {
    const oldest = await db.selectFrom('flight').select('started_at').orderBy('id').limit(1).executeTakeFirst();
    return {
      bytes: await measureBytes(db),
      flights: await countFlights(db),
      oldestAt: oldest?.started_at,
      losses: await readLosses(db),
    };
  });
  const state = readRecordingState();
  return state && { ...state, ...stored, drops: addDropsOfOthers(state.drops) };
}

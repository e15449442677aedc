import 'server-only';

import { type Kysely, sql } from 'kysely';

import { compileWith } from '#src/store/compile-with.ts';
import type { EventRow, NewEvent, Tables } from '#src/store/schema.ts';

import { isOfApp, isUnder, selectEvents } from '../kept/select-events.ts';
import { isMaskedMessage } from './masked-errors.ts';

/**
 * Finds the two sides of one error: the server's row and what browsers report of it. By the digest, or, where a message is
 * masked and the SDK did not find the digest, by the trace, within the time in which a page loads. Either may come first.
 */

/** As find-error-details.ts has it: a trace is a document with all that followed. */
const sameTraceWithinMs = 60_000;
/** A tab reports what a server of another build answered as soon as it has it. */
const answeredWithinMs = 5_000;
/** In one transaction. What is left follows with the next error of that digest. */
const joinedAtOnce = 20;

type Found = Pick<EventRow, 'fault' | 'fingerprint'>;

/** Of one digest. What is older is of another build, or of the same fault as these. */
const latestLookedAt = 200;

/** Of the same release, or else the nearest in time. */
const findByDigest = compileWith<
  { app: string; digest: string; release: string; time: number },
  Found & Pick<EventRow, 'release' | 'time'>
>((db, value) =>
  db
    .selectFrom(
      selectEvents(db, 'server')
        .select(['fault', 'fingerprint', 'release', 'time'])
        .where(isUnder(value('digest'), value('app')))
        .orderBy('time', 'desc')
        .limit(latestLookedAt)
        .as('latest'),
    )
    .selectAll()
    .orderBy(sql`case when release = ${value('release')} then 0 else 1 end`)
    .orderBy(sql`abs(time - ${value('time')})`)
    .limit(1),
);

const findRelease = compileWith<{ app: string; release: string }, { name: string }>((db, value) =>
  db
    .selectFrom('app_release')
    .select('name')
    .where('app', '=', value('app'))
    .where('side', '=', 'server')
    .where('name', '=', value('release')),
);

/** Two digests are two errors of one page. */
const findByTrace = compileWith<
  { app: string; trace: string; from: number; to: number; time: number; digest: string },
  Found
>((db, value) =>
  selectEvents(db, 'server')
    .select(['fault', 'fingerprint'])
    .where('trace_id', '=', value('trace'))
    .where('time', '>=', value('from'))
    .where('time', '<=', value('to'))
    .where(sql<boolean>`(digest is null or ${value('digest')} = '')`)
    .where(isOfApp(value('app')))
    .orderBy(sql`abs(time - ${value('time')})`)
    .limit(1),
);

type WaitingError = Pick<NewEvent, 'digest' | 'trace_id' | 'message' | 'received_at' | 'release'> & {
  readonly app: string;
};

type OfBuild = { readonly app: string; readonly release: string; readonly received_at: number };

/**
 * Builds may share a digest and not its fault. A browser often is the first to report one of a new build: while the digest is known of
 * another one alone, it waits. Releases that only browsers name may be called in another way by the server: they say nothing.
 */
async function isOfOtherBuild(
  trx: Kysely<Tables>,
  { app, release, received_at: at }: OfBuild,
  server: Pick<EventRow, 'release' | 'time'>,
): Promise<boolean> {
  if ([release, ''].includes(server.release) || release === '') return false;
  if (Math.abs(server.time - at) <= answeredWithinMs) return false;
  return (await findRelease(trx, { app, release })).rows.length > 0;
}

async function findNamed(
  trx: Kysely<Tables>,
  { app, digest, received_at: time, release = '' }: WaitingError,
): Promise<Found | undefined> {
  const found = digest ? (await findByDigest(trx, { app, digest, release, time })).rows[0] : undefined;
  if (!found) return undefined;
  return (await isOfOtherBuild(trx, { app, release, received_at: time }, found)) ? undefined : found;
}

/** The server's error that an untrusted error tells of. */
export async function findServerError(trx: Kysely<Tables>, error: WaitingError): Promise<Found | undefined> {
  const { app, digest, message, received_at: time, trace_id: trace } = error;
  const named = await findNamed(trx, error);
  if (named || !trace || !isMaskedMessage(message)) return named;
  const [from, to] = [time - sameTraceWithinMs, time + sameTraceWithinMs];
  return (await findByTrace(trx, { app, trace, from, to, time, digest: digest ?? '' })).rows[0];
}

const findWaiting = compileWith<
  { app: string; digest: string; release: string; trace: string; from: number; to: number },
  Pick<EventRow, 'id' | 'digest' | 'message' | 'release' | 'received_at'>
>((db, value) => {
  function waiting() {
    return (
      db
        .selectFrom('event')
        .select(['id', 'digest', 'message', 'release', 'received_at'])
        // Written out: with a value in its place the partial index would not be used.
        .where(sql<boolean>`waits = 1`)
        .where(sql<boolean>`event.app = ${value('app')}`)
    );
  }
  const traced = waiting()
    .where('trace_id', '=', value('trace'))
    .where('received_at', '>=', value('from'))
    .where('received_at', '<=', value('to'));
  const named = waiting().where('digest', '=', value('digest'));
  // Those of another build may never be joined: they must not take the place of those that can be.
  return db
    .selectFrom(named.unionAll(traced).as('waiting'))
    .selectAll()
    .orderBy(sql`case when release = ${value('release')} or release = '' then 0 else 1 end`)
    .limit(joinedAtOnce);
});

type ServerRow = Pick<EventRow, 'app' | 'digest' | 'trace_id' | 'time' | 'release'>;

/** The keys of untrusted errors that wait for this error. */
export async function findWaitingErrors(trx: Kysely<Tables>, row: ServerRow): Promise<readonly string[]> {
  const { app, digest, time, trace_id: trace } = row;
  if (!digest && trace === '') return [];
  const [from, to] = [time - sameTraceWithinMs, time + sameTraceWithinMs];
  const { rows } = await findWaiting(trx, { app, trace, from, to, release: row.release, digest: digest ?? '' });
  const joined = new Set<string>();
  for (const error of rows) {
    const isNamed = error.digest !== null && Boolean(digest);
    const isIts = isNamed
      ? error.digest === digest && !(await isOfOtherBuild(trx, { ...error, app }, row))
      : isMaskedMessage(error.message);
    if (isIts) joined.add(error.id);
  }
  return [...joined];
}

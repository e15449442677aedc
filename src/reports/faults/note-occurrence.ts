import 'server-only';

import { type Kysely, type Selectable, sql } from 'kysely';

import { type Grouping, groupingAlgorithm } from '#src/runtime/errors/fingerprint.ts';
import { compileWith } from '#src/store/compile-with.ts';
import type { FaultHashTable, FaultTable, FaultTurnTable, Level, Tables } from '#src/store/schema.ts';

import { thinFault } from '../thin-fault.ts';
import { addTurn } from './add-turn.ts';
import { countHour, countUser, forgetClaimedUsers, hearOfRelease } from './count-occurrence.ts';
import { createFault } from './create-fault.ts';
import { hourMs } from './hours.ts';
import { wakeFault } from './wake-fault.ts';

/**
 * Counts an occurrence for its fault, in the transaction that stores the occurrence or what was understood of it. So a fault and
 * its counts are never there without each other, and whoever reads `fault_turn` sees each new fault exactly once.
 *
 * This runs for every occurrence, thousands of times a second in a storm, so its statements are compiled once. A known fault
 * takes five of them.
 */
export type NotedOccurrence = {
  readonly side: FaultTable['side'];
  /** The row's key: `error.id` or `report.event_id`. */
  readonly id: string;
  readonly app: string;
  readonly grouping: Grouping;
  readonly name: string;
  readonly message: string;
  readonly culprit: string;
  readonly level: Level;
  /** Empty when it is not known. */
  readonly release: string;
  readonly userKey: string | undefined;
  /** By our clock. */
  readonly receivedAt: number;
  /** It was stored by a version that knew no faults: nobody has to look at it. */
  readonly isOfOlderVersion?: boolean;
};

/** The fault and the ordinal, for the row's columns of these names. */
export type Noted = {
  readonly fault: string;
  /** Which occurrence of the fault it is on its side, from 1. */
  readonly ordinal: number;
  readonly turn: FaultTurnTable['type'] | undefined;
};

/** As long as errors are stored at most. Then no row is left that only the older hash explains. */
const olderHashesMs = 90 * 24 * hourMs;

type OfHash = { readonly app: string; readonly hash: string };
type Times = Pick<FaultTable, 'first_time' | 'last_time' | 'first_release' | 'last_release'>;
type KnownHash = { readonly hash_side: FaultTable['side'] } & {
  readonly [Name in keyof Times as `hash_${Name}`]: Times[Name];
};
type Known = Omit<Selectable<FaultTable>, 'app' | 'merged_into'> & KnownHash;

const findHash = compileWith<OfHash, Known>((db, value) =>
  db
    .selectFrom('fault_hash')
    .innerJoin('fault', 'fault.id', 'fault_hash.fault')
    .select(['fault.id', 'fault.side', 'fault.state', 'fault.state_json', 'fault.state_time', 'fault.news'])
    .select(['fault.name', 'fault.message', 'fault.culprit', 'fault.level'])
    .select(['fault.first_time', 'fault.last_time', 'fault.first_release', 'fault.last_release'])
    .select(['fault.count', 'fault.claims', 'fault.users'])
    .select(['fault_hash.side as hash_side'])
    .select(['fault_hash.first_time as hash_first_time', 'fault_hash.last_time as hash_last_time'])
    .select(['fault_hash.first_release as hash_first_release', 'fault_hash.last_release as hash_last_release'])
    .where('fault_hash.app', '=', value('app'))
    .where('fault_hash.hash', '=', value('hash')),
);

const updateHash = compileWith<OfHash & Times & { side: FaultTable['side'] }>((db, value) =>
  db
    .updateTable('fault_hash')
    .set({
      side: value('side'),
      first_time: value('first_time'),
      last_time: value('last_time'),
      first_release: value('first_release'),
      last_release: value('last_release'),
    })
    .where('app', '=', value('app'))
    .where('hash', '=', value('hash')),
);

type Described = Pick<FaultTable, 'side' | 'name' | 'message' | 'culprit' | 'level'>;

const updateFault = compileWith<{ id: string; count: number; claims: number; users: number } & Described & Times>(
  (db, value) =>
    db
      .updateTable('fault')
      .set({
        side: value('side'),
        name: value('name'),
        message: value('message'),
        culprit: value('culprit'),
        level: value('level'),
        first_time: value('first_time'),
        last_time: value('last_time'),
        first_release: value('first_release'),
        last_release: value('last_release'),
        count: value('count'),
        claims: value('claims'),
        users: value('users'),
      })
      .where('id', '=', value('id')),
);

async function read(trx: Kysely<Tables>, app: string, hash: string): Promise<Known | undefined> {
  return (await findHash(trx, { app, hash })).rows[0];
}

const findOlderRow = compileWith<OfHash>((db, value) => {
  function find(table: 'error' | 'report') {
    return db
      .selectFrom(table)
      .select('fingerprint')
      .where('fingerprint', '=', value('hash'))
      .where(sql<boolean>`coalesce(app, '') = ${value('app')}`)
      .where('fault', 'is', null);
  }
  return find('error').unionAll(find('report')).limit(1);
});

/** Rows that an older version stored are given their faults in the background, so theirs may not be there yet. */
async function isInOlderRows(trx: Kysely<Tables>, { app, grouping }: NotedOccurrence): Promise<boolean> {
  for (const hash of [grouping.fingerprint, ...grouping.older]) {
    if ((await findOlderRow(trx, { app, hash })).rows.length > 0) return true;
  }
  return false;
}

const insertHash = compileWith<Selectable<FaultHashTable>>((db, value) =>
  db.insertInto('fault_hash').values({
    app: value('app'),
    hash: value('hash'),
    fault: value('fault'),
    rule: value('rule'),
    algorithm: value('algorithm'),
    parts_json: value('parts_json'),
    side: value('side'),
    first_time: value('first_time'),
    last_time: value('last_time'),
    first_release: value('first_release'),
    last_release: value('last_release'),
  }),
);

async function createFaultOf(trx: Kysely<Tables>, occurrence: NotedOccurrence): Promise<string> {
  const { app, side, name, message, culprit, level, release, receivedAt } = occurrence;
  const isOfOlderVersion = occurrence.isOfOlderVersion ?? (await isInOlderRows(trx, occurrence));
  const fault = await createFault(trx, {
    app,
    side,
    name,
    message,
    culprit,
    level,
    state_time: receivedAt,
    news: isOfOlderVersion ? null : 'new',
    first_time: receivedAt,
    last_time: receivedAt,
    first_release: release,
    last_release: release,
  });
  const detail = isOfOlderVersion ? { isOfOlderVersion } : {};
  await addTurn(trx, {
    fault,
    app,
    time: receivedAt,
    type: 'first-seen',
    by: 'system',
    occurrence: occurrence.id,
    detail,
  });
  return fault;
}

/** The fault that has the hash which an earlier version of the rules gave; else a new one. */
async function adoptHash(trx: Kysely<Tables>, occurrence: NotedOccurrence): Promise<{ isNew: boolean }> {
  const { app, grouping, receivedAt, release, side } = occurrence;
  const { fingerprint: hash, older, parts, rule } = grouping;
  let known: Known | undefined;
  for (const olderHash of older) {
    known ??= await read(trx, app, olderHash);
  }
  const isRecent = known && receivedAt - known.hash_last_time <= olderHashesMs;
  const fault = known && isRecent ? known.id : await createFaultOf(trx, occurrence);
  await hearOfRelease(trx, { app, side, name: release, time: receivedAt });
  const times = { first_time: receivedAt, last_time: receivedAt, first_release: release, last_release: release };
  const algorithm = rule === 'older' ? 1 : groupingAlgorithm;
  await insertHash(trx, { app, hash, fault, rule, side, algorithm, parts_json: JSON.stringify(parts), ...times });
  return { isNew: !isRecent };
}

/** By the time of receipt: rows of an older database come in any order. */
function widen(times: Times, { receivedAt, release }: NotedOccurrence): Times {
  const isFirst = receivedAt < times.first_time;
  const isLast = receivedAt >= times.last_time;
  return {
    first_time: isFirst ? receivedAt : times.first_time,
    first_release: isFirst ? release : times.first_release,
    last_time: isLast ? receivedAt : times.last_time,
    last_release: isLast ? release : times.last_release,
  };
}

function readHashTimes(known: Known): Times {
  return {
    first_time: known.hash_first_time,
    last_time: known.hash_last_time,
    first_release: known.hash_first_release,
    last_release: known.hash_last_release,
  };
}

/** What the fault is called: as its latest occurrence. What a browser claims changes nothing that a server said. */
function describe(known: Known, occurrence: NotedOccurrence): Described {
  const isClaim = known.side === 'server' && occurrence.side === 'browser';
  const isEarlier = known.side === occurrence.side && occurrence.receivedAt < known.last_time;
  const { side, name, message, culprit, level } = isClaim || isEarlier ? known : occurrence;
  return { side, name, message, culprit, level };
}

async function addToSums(trx: Kysely<Tables>, known: Known, occurrence: NotedOccurrence): Promise<void> {
  const { app, grouping, release, side, receivedAt, userKey } = occurrence;
  const hash = grouping.fingerprint;
  // What browsers claimed of the release until now says nothing of servers.
  const isTakenOver = known.hash_side === 'browser' && side === 'server';
  if (isTakenOver || release !== known.hash_last_release || receivedAt < known.hash_last_time) {
    await hearOfRelease(trx, { app, side, name: release, time: receivedAt });
  }
  await countHour(trx, { app, hash, side, receivedAt });
  // Anybody who read a digest can claim: that does not make a fault of a server a recent one, nor one of many users.
  const isClaim = known.hash_side === 'server' && side === 'browser';
  const users = isTakenOver ? await forgetClaimedUsers(trx, { app, hash, fault: known.id }) : known.users;
  const isCounted = userKey !== undefined && !isClaim;
  const isNewUser = isCounted && (await countUser(trx, { app, hash, fault: known.id, user: userKey }));
  const times = readHashTimes(known);
  if (!isClaim) await updateHash(trx, { app, hash, side, ...widen(times, occurrence) });
  await updateFault(trx, {
    id: known.id,
    ...describe(known, occurrence),
    ...(isClaim ? pickTimes(known) : widen(pickTimes(known), occurrence)),
    count: known.count + (side === 'server' ? 1 : 0),
    claims: known.claims + (side === 'browser' ? 1 : 0),
    users: users + (isNewUser ? 1 : 0),
  });
}

function pickTimes({ first_time, last_time, first_release, last_release }: Times): Times {
  return { first_time, last_time, first_release, last_release };
}

export async function noteOccurrence(trx: Kysely<Tables>, occurrence: NotedOccurrence): Promise<Noted> {
  const { app, grouping, side } = occurrence;
  let known = await read(trx, app, grouping.fingerprint);
  let isNew = false;
  if (!known) {
    ({ isNew } = await adoptHash(trx, occurrence));
    known = await read(trx, app, grouping.fingerprint);
    if (!known) throw new Error('A hash was stored and is not there');
  }
  await addToSums(trx, known, occurrence);
  // Of its side: claims must neither thin a server's errors, nor be counted among them.
  const ordinal = (side === 'server' ? known.count : known.claims) + 1;
  await thinFault(trx, known.id, side === 'server' ? 'error' : 'report', ordinal);
  const isClaim = known.side === 'server' && side === 'browser';
  const turn = isNew ? 'first-seen' : isClaim ? undefined : await wakeFault(trx, known, occurrence);
  return { fault: known.id, ordinal, turn };
}

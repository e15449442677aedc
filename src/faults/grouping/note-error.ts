import 'server-only';

import type { Kysely, Selectable } from 'kysely';

import { groupingAlgorithm } from '#src/runtime/errors/fingerprint.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';
import { narrowGrouping } from '#src/runtime/errors/narrow-grouping.ts';
import { compileWith } from '#src/store/compile-with.ts';
import type { FaultHashTable, FaultTable, FaultActivityTable, Level, Side, Tables } from '#src/store/schema.ts';

import { addActivity } from './add-activity.ts';
import { countHour, countUser, forgetUntrustedUsers, hearOfRelease } from './count-error.ts';
import { createFault } from './create-fault.ts';
import { wakeFault } from './wake-fault.ts';

/**
 * Counts an error for its fault, in the transaction that stores the error or what was understood of it. So a fault and
 * its counts are never there without each other, and whoever reads `fault_activity` sees each new fault exactly once.
 *
 * This runs for every error, thousands of times a second in a storm, so its statements are compiled once. A known fault
 * takes five of them.
 */
export type NotedError = {
  readonly side: Side;
  /** `event.id` */
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
};

/** The fault, the fingerprint and the ordinal, for the row's columns of these names. */
export type Noted = {
  readonly fault: string;
  /** Another than that of its grouping where that one was split by hand. */
  readonly fingerprint: string;
  /** Which error of the fault it is on its side, from 1. */
  readonly ordinal: number;
  readonly activity: FaultActivityTable['type'] | undefined;
};

type OfHash = { readonly app: string; readonly hash: string };
type Times = Pick<FaultTable, 'first_time' | 'last_time' | 'first_release' | 'last_release'>;
type KnownHash = { readonly hash_side: Side; readonly hash_split_by: FaultHashTable['split_by'] } & {
  readonly [Name in keyof Times as `hash_${Name}`]: Times[Name];
};
type Known = Omit<Selectable<FaultTable>, 'app' | 'merged_into'> & KnownHash;

const findHash = compileWith<OfHash, Known>((db, value) =>
  db
    .selectFrom('fault_hash')
    .innerJoin('fault', 'fault.id', 'fault_hash.fault')
    .select(['fault.id', 'fault.side', 'fault.state', 'fault.state_json', 'fault.state_time', 'fault.unseen'])
    .select(['fault.name', 'fault.message', 'fault.culprit', 'fault.level'])
    .select(['fault.first_time', 'fault.last_time', 'fault.first_release', 'fault.last_release'])
    .select(['fault.count', 'fault.untrusted', 'fault.users'])
    .select(['fault_hash.side as hash_side', 'fault_hash.split_by as hash_split_by'])
    .select(['fault_hash.first_time as hash_first_time', 'fault_hash.last_time as hash_last_time'])
    .select(['fault_hash.first_release as hash_first_release', 'fault_hash.last_release as hash_last_release'])
    .where('fault_hash.app', '=', value('app'))
    .where('fault_hash.hash', '=', value('hash')),
);

const updateHash = compileWith<OfHash & Times & { side: Side }>((db, value) =>
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

const updateFault = compileWith<{ id: string; count: number; untrusted: number; users: number } & Described & Times>(
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
        untrusted: value('untrusted'),
        users: value('users'),
      })
      .where('id', '=', value('id')),
);

async function read(trx: Kysely<Tables>, app: string, hash: string): Promise<Known | undefined> {
  return (await findHash(trx, { app, hash })).rows[0];
}

const insertHash = compileWith<Omit<Selectable<FaultHashTable>, 'moved'>>((db, value) =>
  db.insertInto('fault_hash').values({
    app: value('app'),
    hash: value('hash'),
    fault: value('fault'),
    rule: value('rule'),
    algorithm: value('algorithm'),
    parts_json: value('parts_json'),
    split_by: value('split_by'),
    split_of: value('split_of'),
    side: value('side'),
    first_time: value('first_time'),
    last_time: value('last_time'),
    first_release: value('first_release'),
    last_release: value('last_release'),
  }),
);

async function createFaultOf(trx: Kysely<Tables>, error: NotedError): Promise<string> {
  const { app, side, name, message, culprit, level, release, receivedAt } = error;
  const fault = await createFault(trx, {
    app,
    side,
    name,
    message,
    culprit,
    level,
    state_time: receivedAt,
    unseen: 'new',
    first_time: receivedAt,
    last_time: receivedAt,
    first_release: release,
    last_release: release,
  });
  await addActivity(trx, {
    fault,
    app,
    time: receivedAt,
    type: 'first-seen',
    by: 'system',
    error: error.id,
    detail: {},
  });
  return fault;
}

async function createHash(trx: Kysely<Tables>, error: NotedError): Promise<void> {
  const { app, grouping, receivedAt, release, side } = error;
  const { fingerprint: hash, parts, rule, splitOf } = grouping;
  const fault = await createFaultOf(trx, error);
  await hearOfRelease(trx, { app, side, name: release, time: receivedAt });
  const times = beginTimes(error);
  const split = { split_by: null, split_of: splitOf ?? null };
  const parts_json = JSON.stringify(parts);
  await insertHash(trx, { app, hash, fault, rule, side, algorithm: groupingAlgorithm, parts_json, ...split, ...times });
}

function beginTimes({ receivedAt, release }: NotedError): Times {
  return { first_time: receivedAt, last_time: receivedAt, first_release: release, last_release: release };
}

/**
 * By the time of receipt: rows may be noted in any order. Anybody who read a digest can name: that makes a server's error
 * neither an older one nor a recent one, whether the untrusted error came before it or after it.
 * @param of whose the times are until now
 */
function widen(times: Times, of: Side, error: NotedError): Times {
  const { receivedAt, release, side } = error;
  if (of !== side) return side === 'server' ? beginTimes(error) : times;
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

/** What the fault is called: as its latest error. What a browser reports changes nothing that a server said. */
function describe(known: Known, error: NotedError): Described {
  const isUntrusted = known.side === 'server' && error.side === 'browser';
  const isEarlier = known.side === error.side && error.receivedAt < known.last_time;
  const { side, name, message, culprit, level } = isUntrusted || isEarlier ? known : error;
  return { side, name, message, culprit, level };
}

async function addToSums(trx: Kysely<Tables>, known: Known, error: NotedError): Promise<void> {
  const { app, grouping, release, side, receivedAt, userKey } = error;
  const hash = grouping.fingerprint;
  // What browsers reported of the release until now says nothing of servers.
  const isTakenOver = known.hash_side === 'browser' && side === 'server';
  if (isTakenOver || release !== known.hash_last_release || receivedAt < known.hash_last_time) {
    await hearOfRelease(trx, { app, side, name: release, time: receivedAt });
  }
  await countHour(trx, { app, hash, side, receivedAt });
  // Nor does an untrusted error make it one of many users.
  const isUntrusted = known.hash_side === 'server' && side === 'browser';
  const users = isTakenOver ? await forgetUntrustedUsers(trx, { app, hash, fault: known.id }) : known.users;
  const isCounted = userKey !== undefined && !isUntrusted;
  const isNewUser = isCounted && (await countUser(trx, { app, hash, fault: known.id, user: userKey }));
  const times = widen(readHashTimes(known), known.hash_side, error);
  if (!isUntrusted) await updateHash(trx, { app, hash, side, ...times });
  await updateFault(trx, {
    id: known.id,
    ...describe(known, error),
    ...widen(pickTimes(known), known.side, error),
    count: known.count + (side === 'server' ? 1 : 0),
    untrusted: known.untrusted + (side === 'browser' ? 1 : 0),
    users: users + (isNewUser ? 1 : 0),
  });
}

function pickTimes({ first_time, last_time, first_release, last_release }: Times): Times {
  return { first_time, last_time, first_release, last_release };
}

/** A part of a split fingerprint may have been split by another of the traits. */
async function readNarrowed(trx: Kysely<Tables>, app: string, grouping: Grouping) {
  const known = await read(trx, app, grouping.fingerprint);
  if (!known?.hash_split_by) return { known, grouping };
  return readNarrowed(trx, app, narrowGrouping(grouping, known.hash_split_by));
}

export async function noteErrorOf(trx: Kysely<Tables>, given: NotedError): Promise<Noted> {
  const { app, side } = given;
  const found = await readNarrowed(trx, app, given.grouping);
  const { grouping } = found;
  const error = { ...given, grouping };
  const isNew = found.known === undefined;
  if (isNew) await createHash(trx, error);
  const known = found.known ?? (await read(trx, app, grouping.fingerprint));
  if (!known) throw new Error('A hash was stored and is not there');
  await addToSums(trx, known, error);
  // Of its side: untrusted errors are not counted among a server's errors.
  const ordinal = (side === 'server' ? known.count : known.untrusted) + 1;
  const isUntrusted = known.side === 'server' && side === 'browser';
  const activity = isNew ? 'first-seen' : isUntrusted ? undefined : await wakeFault(trx, known, error);
  return { fault: known.id, fingerprint: grouping.fingerprint, ordinal, activity };
}

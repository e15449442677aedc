import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { FaultTable, Side, Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';
import { readFrames } from '../kept/stored-json.ts';
import { readCulprit } from './read-culprit.ts';

/** After hashes were moved: a fault's sums are those of its hashes, and it is called as the latest of its stored errors. */

async function countHours(trx: Kysely<Tables>, fault: string) {
  return trx
    .selectFrom('fault_hash')
    .innerJoin('fault_hour', (join) =>
      join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
    )
    .select([
      sql<number>`coalesce(sum(fault_hour.count), 0)`.as('count'),
      sql<number>`coalesce(sum(fault_hour.untrusted), 0)`.as('untrusted'),
    ])
    .where('fault_hash.fault', '=', fault)
    .executeTakeFirstOrThrow();
}

export async function countUsers(trx: Kysely<Tables>, fault: string): Promise<number> {
  const { users } = await trx
    .selectFrom('fault_hash')
    .innerJoin('fault_user', (join) =>
      join.onRef('fault_user.app', '=', 'fault_hash.app').onRef('fault_user.hash', '=', 'fault_hash.hash'),
    )
    .select(({ fn }) => fn.count<number>('fault_user.user_key').distinct().as('users'))
    .where('fault_hash.fault', '=', fault)
    .executeTakeFirstOrThrow();
  return users;
}

type Description = Pick<FaultTable, 'name' | 'message' | 'culprit' | 'level'>;

/** Returns undefined when none of its events is stored any more. What a server told goes before what browsers report. */
async function describeLatest(trx: Kysely<Tables>, fault: string): Promise<Description | undefined> {
  const find = (side: Side) =>
    selectEvents(trx, side)
      .select(['name', 'message', 'level', 'frames_json', 'route', 'path'])
      .where('fault', '=', fault)
      .orderBy('time', 'desc')
      .limit(1)
      .executeTakeFirst();
  const row = (await find('server')) ?? (await find('browser'));
  if (!row) return undefined;
  const { name, message, level, frames_json, route, path } = row;
  return { name, message, level, culprit: readCulprit(readFrames(frames_json), route || path) };
}

/** A fault is called as the latest of its rows, which have moved. */
export async function describeFault(trx: Kysely<Tables>, fault: string): Promise<void> {
  const hash = await trx.selectFrom('fault_hash').select('hash').where('fault', '=', fault).limit(1).executeTakeFirst();
  const description = hash && (await describeLatest(trx, fault));
  if (description) await trx.updateTable('fault').set(description).where('id', '=', fault).execute();
}

/** A fault without hashes, because it was merged, has nothing left to count. */
export async function sumFault(trx: Kysely<Tables>, fault: string): Promise<void> {
  const hashes = await trx
    .selectFrom('fault_hash')
    .select(['side', 'first_time', 'last_time', 'first_release', 'last_release'])
    .where('fault', '=', fault)
    .orderBy('first_time')
    .execute();
  const counts = { ...(await countHours(trx, fault)), users: await countUsers(trx, fault) };
  const told = hashes.filter(({ side }) => side === 'server');
  // What browsers alone report makes a server's fault neither older nor more recent.
  const telling = told.length > 0 ? told : hashes;
  const [first] = telling;
  const last = telling.toSorted((a, b) => a.last_time - b.last_time).at(-1);
  const times = first &&
    last && {
      side: first.side,
      first_time: first.first_time,
      first_release: first.first_release,
      last_time: last.last_time,
      last_release: last.last_release,
    };
  const description = first && (await describeLatest(trx, fault));
  await trx
    .updateTable('fault')
    .set({ ...counts, ...times, ...description })
    .where('id', '=', fault)
    .execute();
}

import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { FaultTable, Tables } from '#src/store/schema.ts';

import { readFrames } from '../stored-json.ts';
import { readCulprit } from './read-culprit.ts';

/** After hashes were moved: a fault's sums are those of its hashes, and it is called as the latest of its stored occurrences. */

async function countHours(trx: Kysely<Tables>, fault: string) {
  return trx
    .selectFrom('fault_hash')
    .innerJoin('fault_hour', (join) =>
      join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
    )
    .select([
      sql<number>`coalesce(sum(fault_hour.count), 0)`.as('count'),
      sql<number>`coalesce(sum(fault_hour.claims), 0)`.as('claims'),
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

/** Undefined when none of its occurrences is stored any more. */
async function describeLatest(trx: Kysely<Tables>, fault: string): Promise<Description | undefined> {
  const error = await trx
    .selectFrom('error')
    .select(['name', 'message', 'level', 'frames_json', 'route', 'path'])
    .where('fault', '=', fault)
    .orderBy('time', 'desc')
    .limit(1)
    .executeTakeFirst();
  const row =
    error ??
    (await trx
      .selectFrom('report')
      .select(['name', 'message', 'level', 'frames_json', 'path'])
      .where('fault', '=', fault)
      .orderBy('time', 'desc')
      .limit(1)
      .executeTakeFirst());
  if (!row) return undefined;
  const { name, message, level, frames_json, path } = row;
  return { name, message, level, culprit: readCulprit(readFrames(frames_json), error?.route || path) };
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
  const [first] = hashes;
  const last = hashes.toSorted((a, b) => a.last_time - b.last_time).at(-1);
  const times = first &&
    last && {
      side: hashes.some(({ side }) => side === 'server') ? ('server' as const) : ('browser' as const),
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

import 'server-only';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';
import { addActivity } from './add-activity.ts';
import { hourOf } from './hours.ts';

/** Takes back that a row was counted, because it turned out to tell of an error that is another fault. */
export type Counted = {
  /** What a browser reported, or what a server had. */
  readonly as: 'untrusted' | 'count';
  readonly app: string;
  readonly fault: string;
  readonly hash: string;
  readonly receivedAt: number;
};

function oneLess(of: Counted['as']): RawBuilder<number> {
  const column = sql.ref(of);
  return sql`case when ${column} > 0 then ${column} - 1 else 0 end`;
}

/** @param into the fault that it belongs to */
export async function uncount(trx: Kysely<Tables>, counted: Counted, into: string): Promise<void> {
  const { as, app, fault, hash, receivedAt } = counted;
  await trx
    .updateTable('fault_hour')
    .set({ [as]: oneLess(as) })
    .where('app', '=', app)
    .where('hash', '=', hash)
    .where('hour', '=', hourOf(receivedAt))
    .execute();
  await trx
    .updateTable('fault')
    .set({ [as]: oneLess(as) })
    .where('id', '=', fault)
    .execute();
  const left = await trx
    .selectFrom('fault')
    .select('id')
    .where('id', '=', fault)
    .where('count', '=', 0)
    .where('untrusted', '=', 0)
    .executeTakeFirst();
  if (left) await leaveEmpty(trx, counted, into);
  else if (as === 'count') await takeBackLast(trx, counted);
}

/** @returns what is still stored of the fault, or of the fingerprint, and happened last */
function findLast(trx: Kysely<Tables>, column: 'fault' | 'fingerprint', value: string) {
  return selectEvents(trx, 'server')
    .select(['received_at as last_time', 'release as last_release'])
    .where(column, '=', value)
    .orderBy('time', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The row was mostly not the last of its fault: then one look says so. Else the last stored one gives the time and the release. */
async function takeBackLast(trx: Kysely<Tables>, { app, fault, hash, receivedAt }: Counted): Promise<void> {
  const wasLast = trx.selectFrom('fault').select('id').where('id', '=', fault).where('last_time', '=', receivedAt);
  const ofFault = (await wasLast.executeTakeFirst()) && (await findLast(trx, 'fault', fault));
  if (ofFault) await trx.updateTable('fault').set(ofFault).where('id', '=', fault).execute();
  const taken = await trx
    .selectFrom('fault_hash')
    .select('last_release')
    .where('app', '=', app)
    .where('hash', '=', hash)
    .where('last_time', '=', receivedAt)
    .executeTakeFirst();
  const ofHash = taken && (await findLast(trx, 'fingerprint', hash));
  if (!ofHash) return;
  await trx.updateTable('fault_hash').set(ofHash).where('app', '=', app).where('hash', '=', hash).execute();
  if (taken.last_release !== ofHash.last_release) await forgetRelease(trx, app, hash, taken.last_release);
}

/** Faults are filtered by the releases that their errors had. */
async function forgetRelease(trx: Kysely<Tables>, app: string, hash: string, release: string): Promise<void> {
  const facet = trx.deleteFrom('fault_facet').where('app', '=', app).where('hash', '=', hash);
  await facet
    .where('name', '=', 'release')
    .where('value', '=', release)
    .where(({ not, exists }) =>
      not(
        exists(selectEvents(trx, 'server').select('id').where('fingerprint', '=', hash).where('release', '=', release)),
      ),
    )
    .execute();
}

/** Keeps an empty fault that leads to where the row is now, because its address may have been sent to somebody. */
async function leaveEmpty(trx: Kysely<Tables>, { app, fault }: Counted, into: string): Promise<void> {
  const hashes = await trx.selectFrom('fault_hash').select('hash').where('fault', '=', fault).execute();
  for (const table of ['fault_hour', 'fault_user', 'fault_hash'] as const) {
    const names = hashes.map(({ hash }) => hash);
    await trx.deleteFrom(table).where('app', '=', app).where('hash', 'in', names).execute();
  }
  await trx.updateTable('fault').set({ merged_into: into, unseen: null, users: 0 }).where('id', '=', fault).execute();
  await addActivity(trx, { fault, app, time: Date.now(), type: 'merged', by: 'system', detail: { into } });
}

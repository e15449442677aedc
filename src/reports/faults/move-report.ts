import 'server-only';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

import { addTurn } from './add-turn.ts';
import { hourOf } from './hours.ts';

/** Takes back that a browser's report was counted, because it turned out to tell of a server's error. */
export type CountedReport = {
  readonly app: string;
  readonly fault: string;
  readonly hash: string;
  readonly receivedAt: number;
};

const oneClaimLess: RawBuilder<number> = sql`case when claims > 0 then claims - 1 else 0 end`;

/** @param into the fault that it belongs to */
export async function uncountReport(trx: Kysely<Tables>, report: CountedReport, into: string): Promise<void> {
  const { app, fault, hash, receivedAt } = report;
  await trx
    .updateTable('fault_hour')
    .set({ claims: oneClaimLess })
    .where('app', '=', app)
    .where('hash', '=', hash)
    .where('hour', '=', hourOf(receivedAt))
    .execute();
  await trx.updateTable('fault').set({ claims: oneClaimLess }).where('id', '=', fault).execute();
  const left = await trx
    .selectFrom('fault')
    .select('id')
    .where('id', '=', fault)
    .where('count', '=', 0)
    .where('claims', '=', 0)
    .executeTakeFirst();
  if (left) await leaveEmpty(trx, report, into);
}

/** Its address may have been sent to somebody: it leads to where the report is now. */
async function leaveEmpty(trx: Kysely<Tables>, { app, fault }: CountedReport, into: string): Promise<void> {
  const hashes = await trx.selectFrom('fault_hash').select('hash').where('fault', '=', fault).execute();
  for (const table of ['fault_hour', 'fault_user', 'fault_hash'] as const) {
    const names = hashes.map(({ hash }) => hash);
    await trx.deleteFrom(table).where('app', '=', app).where('hash', 'in', names).execute();
  }
  await trx.updateTable('fault').set({ merged_into: into, news: null, users: 0 }).where('id', '=', fault).execute();
  await addTurn(trx, { fault, app, time: Date.now(), type: 'merged', by: 'system', detail: { into } });
}

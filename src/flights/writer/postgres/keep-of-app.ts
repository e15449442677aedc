import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';

import type { Loss } from '../../flight/drops.ts';
import { buildsKept, type ModuleFiles } from '../../flight/module-files.ts';
import type { TracePart } from '../../traces/pack-spans.ts';
import { partsKept, spanColumns, toSpanValues } from '../insert-spans.ts';
import type { Transaction } from './connection.ts';

/** What is kept of an app beside its flights. ../keep-of-app.ts is SQLite's. */

export async function addLosses(transaction: Transaction, losses: readonly Loss[]): Promise<void> {
  for (const { app, reason, count, time } of losses) {
    await transaction.query(
      `insert into loss (app, reason, count, last_time) values ($1, $2, $3, $4)
      on conflict (app, reason) do update set count = loss.count + excluded.count, last_time = excluded.last_time`,
      [app, reason, count, Math.round(time)],
    );
  }
}

export async function keepInstalled(
  transaction: Transaction,
  app: string,
  packages: readonly InstalledPackage[],
): Promise<void> {
  await transaction.query('delete from installed where app = $1', [app]);
  for (const { name, within, version } of packages) {
    await transaction.query(
      `insert into installed (app, name, inside, version, seen_at) values ($1, $2, $3, $4, $5)
      on conflict (app, name, inside) do update set version = excluded.version, seen_at = excluded.seen_at`,
      [app, name, within, version, Date.now()],
    );
  }
}

export async function keepRecord(transaction: Transaction, app: string, record: string): Promise<void> {
  await transaction.query(
    `insert into kept (app, record, told_at) values ($1, $2, $3)
    on conflict (app) do update set record = excluded.record, told_at = excluded.told_at`,
    [app, record, Date.now()],
  );
}

export async function keepModules(
  transaction: Transaction,
  app: string,
  build: string,
  files: ModuleFiles,
): Promise<void> {
  await transaction.query(
    `insert into build_modules (app, build, files_json, seen_at) values ($1, $2, $3, $4)
    on conflict (app, build) do update set files_json = excluded.files_json, seen_at = excluded.seen_at`,
    [app, build, JSON.stringify(files), Date.now()],
  );
  await transaction.query(
    `delete from build_modules where app = $1 and build not in (
      select build from build_modules where app = $1 order by seen_at desc limit ${buildsKept})`,
    [app],
  );
}

export async function addSpans(
  transaction: Transaction,
  app: string,
  parts: readonly TracePart[],
  now: number,
): Promise<void> {
  for (const part of parts) {
    const [row] = await transaction.query<{ n: number }>(
      'select count(*) as n from span where app = $1 and trace_id = $2',
      [app, part.traceId],
    );
    if (Number(row?.n ?? 0) >= partsKept) continue;
    const places = spanColumns.map((_, at) => `$${at + 1}`).join(', ');
    const values = toSpanValues(app, part, now);
    await transaction.query(
      `insert into span (${spanColumns.join(', ')}) values (${places}) on conflict do nothing`,
      values,
    );
  }
}

/** Of what the guard counts. */
async function deleteCounted(transaction: Transaction, where: string, value: number | string): Promise<void> {
  await transaction.query(`delete from forged where ${where}`, [value]);
  await transaction.query(`delete from leak where ${where}`, [value]);
  await transaction.query(`delete from storm where ${where}`, [value]);
}

export async function deleteOfApp(transaction: Transaction, app: string): Promise<void> {
  await deleteCounted(transaction, 'app = $1', app);
  await transaction.query('delete from installed where app = $1', [app]);
  await transaction.query('delete from kept where app = $1', [app]);
  await transaction.query('delete from build_modules where app = $1', [app]);
  await transaction.query('delete from span where app = $1', [app]);
}

/** What is not in a part of the flights. */
export async function deleteOldCounts(transaction: Transaction, before: number): Promise<void> {
  await deleteCounted(transaction, 'last_at < $1', Math.round(before));
  // A span comes after its request began: what came before the oldest flight belongs to none.
  await transaction.query(
    `delete from span where received_at < greatest($1, (select started_at from flight order by id limit 1))`,
    [Math.round(before)],
  );
}

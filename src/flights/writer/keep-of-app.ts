import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';

import type { Loss } from '../flight/drops.ts';
import { buildsKept, type ModuleFiles } from '../flight/module-files.ts';
import type { Prepare } from './prepare.ts';

/** What is kept beside an app's flights: what was lost of them, which packages it has, which files its builds were made of. */

export function addLosses(prepare: Prepare, losses: readonly Loss[]): void {
  for (const { app, reason, count, time } of losses) {
    prepare(
      `insert into loss (app, reason, count, last_time) values (?, ?, ?, ?)
      on conflict (app, reason) do update set count = count + excluded.count, last_time = excluded.last_time`,
    ).run(app, reason, count, time);
  }
}

export function keepInstalled(prepare: Prepare, app: string, packages: readonly InstalledPackage[]): void {
  prepare('delete from installed where app = ?').run(app);
  const insert = prepare('insert into installed (app, name, inside, version, seen_at) values (?, ?, ?, ?, ?)');
  for (const { name, within, version } of packages) insert.run(app, name, within, version, Date.now());
}

/** @param record as `RECORD` is written */
export function keepRecord(prepare: Prepare, app: string, record: string): void {
  prepare(
    `insert into kept (app, record, told_at) values (?, ?, ?)
    on conflict (app) do update set record = excluded.record, told_at = excluded.told_at`,
  ).run(app, record, Date.now());
}

/** The latest builds stay. */
export function keepModules(prepare: Prepare, app: string, build: string, files: ModuleFiles): void {
  prepare(
    `insert into build_modules (app, build, files_json, seen_at) values (?, ?, ?, ?)
    on conflict (app, build) do update set files_json = excluded.files_json, seen_at = excluded.seen_at`,
  ).run(app, build, JSON.stringify(files), Date.now());
  prepare(
    `delete from build_modules where app = ? and build not in (
      select build from build_modules where app = ? order by seen_at desc limit ${buildsKept})`,
  ).run(app, app);
}

const ofApp = ['span', 'installed', 'build_modules', 'kept'] as const;

export function deleteOfApp(prepare: Prepare, app: string): void {
  for (const table of ofApp) prepare(`delete from ${table} where app = ?`).run(app);
}

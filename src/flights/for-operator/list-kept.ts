import 'server-only';

import { readApps } from '#src/apps/apps.ts';
import { isRecordSetting, readAppPolicy, readPolicy, type Policy } from '#src/apps/policy.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';

import { readForOperator } from './read-for-operator.ts';

/** What is kept of an app. */
export type Kept = {
  /** Unless somebody asked for everything for a while. */
  readonly usual: Policy;
  readonly now: Policy;
  /** `recorder`: the process in front of the app, where the app has no setting. `server`: nobody said it; this server takes what comes. */
  readonly saidBy: 'setting' | 'recorder' | 'server';
};

/** By the app's id, without this server itself. */
export async function listKept(): Promise<ReadonlyMap<string, Kept>> {
  const told = await readForOperator([], (db) => db.selectFrom('kept').select(['app', 'record']).execute());
  const records = new Map(told.map(({ app, record }) => [app, record]));
  const standard = readPolicy(readSetting);
  return new Map(
    (await readApps()).map(({ id, record, allUntil }): [string, Kept] => {
      const hasOwn = record !== undefined && isRecordSetting(record);
      const saidBy = hasOwn ? 'setting' : records.has(id) ? 'recorder' : 'server';
      const written = hasOwn ? record : records.get(id);
      return [id, { usual: readAppPolicy(written, standard), now: readAppPolicy(written, standard, allUntil), saidBy }];
    }),
  );
}

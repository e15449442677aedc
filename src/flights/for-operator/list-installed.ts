import 'server-only';

import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';

import { readForOperator } from './read-for-operator.ts';

/** What an app told of itself at its last start; none where it was not started with the recorder. */
export function listInstalled(app: string): Promise<InstalledPackage[]> {
  return readForOperator([], async (db) => {
    const rows = await db.selectFrom('installed').selectAll().where('app', '=', app).orderBy('name').execute();
    return rows.map(({ name, version, inside }) => ({ name, version, within: inside }));
  });
}

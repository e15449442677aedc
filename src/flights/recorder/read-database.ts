import { readSetting } from '#src/server/environment/read-setting.ts';

import type { WriterData } from '../writer/messages.ts';

/** PostgreSQL's address, where `DATABASE_URL` says that flights are there. Nothing where they are in the data folder. */
export function readDatabase(): Pick<WriterData, 'database'> {
  const database = readSetting('DATABASE_URL');
  return database === undefined ? {} : { database };
}

import { openStore, type Store } from '#src/store/open-store.ts';

import { forgetApps } from './apps.ts';

/**
 * Recording everything of an app for a while, whatever `RECORD` says: for somebody who wants to see one thing happen. The end is
 * stored, so a restart neither forgets it nor makes it longer, and a proxy on this machine sees it (read-stored-record.ts).
 */
const recordAllMs = 10 * 60_000;

/** This server itself has an id, too: src/store/own-app.ts. @returns until when, in milliseconds since 1970 */
export async function recordAll(app: string, now: number): Promise<number> {
  const { db } = await openStore();
  const until = now + recordAllMs;
  await db
    .insertInto('record_all')
    .values({ app, until })
    .onConflict((conflict) => conflict.column('app').doUpdateSet({ until }))
    .execute();
  forgetApps();
  return until;
}

export async function stopRecordingAll(app: string): Promise<void> {
  const { db } = await openStore();
  await db.deleteFrom('record_all').where('app', '=', app).execute();
  forgetApps();
}

/** Returns until when everything is recorded of what has no row in `app`, and 0 when that was not asked for. */
export async function readRecordAll(app: string, store?: Store): Promise<number> {
  const { db } = store ?? (await openStore());
  const row = await db.selectFrom('record_all').select('until').where('app', '=', app).executeTakeFirst();
  return row?.until ?? 0;
}

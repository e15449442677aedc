import { sql } from 'kysely';

import { ownApp } from '#src/store/own-app.ts';

import { openFlightsReader, readNewestId } from './flights-reader.ts';
import { ofApp } from './of-app.ts';
import { currentWriter } from './recorder.ts';

/**
 * Deletes what was recorded of an app. A hundred thousand flights take some seconds, so the writer deletes a slice at a
 * time: what is recorded meanwhile is written between two of them, and pages wait for nothing.
 */

async function countFlights(app: string, upTo: number): Promise<number> {
  const db = await openFlightsReader();
  if (!db) return 0;
  const { flights } = await db
    .selectFrom('flight')
    .select(({ fn }) => fn.countAll<number>().as('flights'))
    .where(ofApp(app))
    .where('id', '<=', upTo)
    .executeTakeFirstOrThrow();
  return flights;
}

/** Apps of which flights are recorded, without our own. */
export async function listRecordedApps(): Promise<readonly string[]> {
  const db = await openFlightsReader();
  if (!db) return [];
  const rows = await db.selectFrom('flight').select('app').distinct().where('app', '!=', sql.lit(ownApp)).execute();
  return rows.map(({ app }) => app);
}

/**
 * Resolves when the bytes of what was recorded of `app` until now are in no file any more. What comes later stays.
 * @param signal ends it between two slices, with its reason
 * @throws with the writer's reason; what is deleted by then stays deleted
 */
export async function deleteAppFlights(
  app: string,
  onProgress: (left: number) => void,
  signal: AbortSignal,
): Promise<void> {
  if (app === ownApp) throw new Error('Our own flights are deleted with all others');
  const writer = currentWriter();
  await writer.flush();
  const db = await openFlightsReader();
  const upTo = db ? await readNewestId(db) : 0;
  for (let left = await countFlights(app, upTo); left > 0; left = await countFlights(app, upTo)) {
    signal.throwIfAborted();
    onProgress(left);
    await writer.ask({ type: 'delete-app', app, upTo });
  }
  onProgress(0);
  await writer.ask({ type: 'empty-log' });
}

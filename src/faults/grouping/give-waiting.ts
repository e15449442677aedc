import 'server-only';

import type { Kysely } from 'kysely';

import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { Tables } from '#src/store/schema.ts';

import { readFrames } from '../kept/stored-json.ts';
import { selectEvents } from '../kept/select-events.ts';
import { noteEvent } from './note-row.ts';

/**
 * Gives faults to untrusted errors that wait for a server's error whose stack was never understood: its process ended, or retention was
 * faster.
 */

function selectWaiting(trx: Kysely<Tables>) {
  return selectEvents(trx, 'browser').selectAll().where('fault', 'is', null).where('waits', '=', 1);
}

async function giveTo(trx: Kysely<Tables>, id: string): Promise<boolean> {
  const row = await selectWaiting(trx).where('id', '=', id).executeTakeFirst();
  if (!row) return false;
  const frames = readFrames(row.frames_json);
  const { app, name, message, route } = row;
  const culprit = app === ownApp ? '' : route;
  const { columns } = await noteEvent(trx, row, {
    grouping: computeGrouping({ name, message, frames, culprit }),
    frames,
  });
  await trx.updateTable('event').set(columns).where('id', '=', id).where('side', '=', 'browser').execute();
  return columns.fault !== null;
}

/** Each in a transaction of its own, so a process may end at any time. @returns how many were given a fault */
export async function giveFaultsToWaiting(store: Store): Promise<number> {
  let count = 0;
  for (const { id } of await selectWaiting(store.db).execute()) {
    let isGiven = false;
    const result = await store.commit(async (trx) => {
      isGiven = await giveTo(trx, id);
    }, 'untrusted');
    // There is no room: the next start goes on.
    if (result !== 'committed') return count;
    if (isGiven) count += 1;
  }
  return count;
}

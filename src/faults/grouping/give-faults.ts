import 'server-only';

import { setTimeout } from 'node:timers/promises';

import type { Kysely } from 'kysely';

import { computeGrouping } from '#src/runtime/errors/fingerprint.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import { sides } from '#src/store/event-columns.ts';
import type { EventRow, Side, Tables } from '#src/store/schema.ts';

import { readFrames } from '../kept/stored-json.ts';
import { selectEvents } from '../kept/select-events.ts';
import { noteEvent } from './note-row.ts';

/**
 * Gives faults to rows that a version without faults stored, in the background after the start. Such rows have a fingerprint and no
 * fault. They keep their fingerprint, and are counted at the hour of their own receipt. Nobody is told of a fault that begins here.
 *
 * A batch is one transaction and takes only rows that have no fault yet, so a process may end at any time: the next start goes on,
 * and nothing is counted twice.
 */

/** Some 15 ms of the thread that serves pages. */
const batchSize = 50;
const pauseMs = 100;

/** The row keeps its hash. Often the present rules give the same, and then it is known what it was made of. */
function keepHash(hash: string, present: Grouping): Grouping {
  return present.fingerprint === hash ? present : { fingerprint: hash, rule: 'older', parts: [] };
}

function selectWithout(trx: Kysely<Tables>, side: Side) {
  return selectEvents(trx, side).selectAll().where('fault', 'is', null);
}

async function giveTo(trx: Kysely<Tables>, row: EventRow): Promise<void> {
  const frames = readFrames(row.frames_json);
  const { id, side, app, name, message, fingerprint, route } = row;
  const culprit = app === ownApp ? '' : route;
  const grouping = keepHash(fingerprint, computeGrouping({ name, message, frames, culprit }));
  const { columns } = await noteEvent(trx, row, { grouping, frames, isOfOlderVersion: true });
  await trx.updateTable('event').set(columns).where('id', '=', id).where('side', '=', side).execute();
}

async function giveToSide(trx: Kysely<Tables>, side: Side): Promise<number> {
  const rows = await selectWithout(trx, side)
    .where('waits', '=', 0)
    .where('fingerprint', '!=', '')
    .orderBy('time')
    .limit(batchSize)
    .execute();
  for (const row of rows) await giveTo(trx, row);
  return rows.length;
}

/** Untrusted errors of errors whose stacks were never understood, because their process ended or retention was faster. */
async function giveToWaiting(store: Store): Promise<void> {
  const waiting = await selectWithout(store.db, 'browser').where('waits', '=', 1).execute();
  for (const { id } of waiting) {
    const result = await store.commit(async (trx) => {
      const row = await selectWithout(trx, 'browser').where('id', '=', id).executeTakeFirst();
      if (row) await giveTo(trx, row);
    }, 'untrusted');
    if (result !== 'committed') return;
  }
}

/**
 * @param pause between two batches, in milliseconds
 * @returns how many rows were given a fault
 */
export async function giveFaults(store: Store, pause: number = pauseMs): Promise<number> {
  let count = 0;
  // Those of servers first: untrusted errors join them.
  for (const side of sides) {
    for (;;) {
      let given = 0;
      const result = await store.commit(async (trx) => {
        given = await giveToSide(trx, side);
      }, 'untrusted');
      // There is no room: the next start goes on.
      if (result !== 'committed') return count;
      if (given === 0) break;
      count += given;
      await setTimeout(pause, undefined, { ref: false });
    }
  }
  await giveToWaiting(store);
  return count;
}

import 'server-only';

import { setTimeout } from 'node:timers/promises';

import type { Kysely } from 'kysely';

import { computeGrouping, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { Tables } from '#src/store/schema.ts';

import { nameFramesBySource } from '../client-maps.ts';
import { readFrames } from '../stored-json.ts';
import { noteErrorRow, noteReportRow } from './note-row.ts';

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

/**
 * The row keeps its hash. What the present rules make of what is stored belongs to the same fault; often it is the same hash, and
 * then it is known what it was made of.
 */
function keepHash(hash: string, present: Grouping): Grouping {
  return present.fingerprint === hash
    ? present
    : { fingerprint: hash, rule: 'older', parts: [], older: [present.fingerprint] };
}

async function giveToErrors(trx: Kysely<Tables>): Promise<number> {
  const rows = await trx
    .selectFrom('error')
    .selectAll()
    .where('fault', 'is', null)
    .where('fingerprint', '!=', '')
    .orderBy('time')
    .limit(batchSize)
    .execute();
  for (const row of rows) {
    const { app, name, message, fingerprint, id, route } = row;
    const frames = readFrames(row.frames_json);
    const culprit = app === ownApp ? '' : route;
    const grouping = keepHash(fingerprint, computeGrouping({ name, message, frames, culprit }));
    const { fault, ordinal } = await noteErrorRow(trx, row, { grouping, frames, isOfOlderVersion: true });
    await trx.updateTable('error').set({ fault, ordinal }).where('id', '=', id).execute();
  }
  return rows.length;
}

function selectReports(trx: Kysely<Tables>) {
  return trx.selectFrom('report').selectAll().where('fault', 'is', null);
}

type Report = Awaited<ReturnType<ReturnType<typeof selectReports>['execute']>>[number];

async function giveToReport(trx: Kysely<Tables>, row: Report): Promise<void> {
  const frames = readFrames(row.frames_json);
  const { name, message, fingerprint, event_id } = row;
  const present = computeGrouping({ name, message, frames: nameFramesBySource(frames) });
  const grouping = keepHash(fingerprint, present);
  const { columns } = await noteReportRow(trx, row, { grouping, frames, isOfOlderVersion: true });
  await trx.updateTable('report').set(columns).where('event_id', '=', event_id).execute();
}

async function giveToReports(trx: Kysely<Tables>): Promise<number> {
  const rows = await selectReports(trx).where('waits', '=', 0).orderBy('time').limit(batchSize).execute();
  for (const row of rows) await giveToReport(trx, row);
  return rows.length;
}

/** Reports of errors whose stacks were never understood, because their process ended or retention was faster. */
async function giveToWaiting(store: Store): Promise<void> {
  const waiting = await selectReports(store.db).where('waits', '=', 1).execute();
  for (const { event_id } of waiting) {
    const result = await store.commit(async (trx) => {
      const row = await selectReports(trx).where('event_id', '=', event_id).executeTakeFirst();
      if (row) await giveToReport(trx, row);
    }, 'report');
    if (result !== 'committed') return;
  }
}

/**
 * @param pause between two batches, in milliseconds
 * @returns how many rows were given a fault
 */
export async function giveFaults(store: Store, pause: number = pauseMs): Promise<number> {
  let count = 0;
  // Errors first: reports join them.
  for (const give of [giveToErrors, giveToReports]) {
    for (;;) {
      let given = 0;
      const result = await store.commit(async (trx) => {
        given = await give(trx);
      }, 'report');
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

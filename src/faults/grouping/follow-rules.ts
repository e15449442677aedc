import 'server-only';

import { setTimeout } from 'node:timers/promises';

import type { Kysely, Selectable } from 'kysely';

import { computeGrouping, groupingAlgorithm } from '#src/runtime/errors/fingerprint.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';
import { sides } from '#src/store/event-columns.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { FaultHashTable, Tables } from '#src/store/schema.ts';

import { readCauses, readFrames } from '../kept/stored-json.ts';
import { selectEvents } from '../kept/select-events.ts';

/**
 * After a change of rules the same error comes with another hash. So that it does not begin a fault of its own, and what people have
 * resolved, muted or merged stays so, each known hash gets a second one: that of its newest stored error by today's rules. Where two
 * faults would get the same, the one with the later error has it.
 *
 * This runs in the background after a start. A hash that was looked at has today's version of the rules, so a process may end at any
 * time. Parts of a split hash stay as they are: their hashes are made of the one that was split.
 */

/** Some 15 ms of the thread that serves pages. */
const batchSize = 50;
const pauseMs = 50;

type OldHash = Omit<Selectable<FaultHashTable>, 'moved' | 'algorithm' | 'parts_json'>;

function selectOld(db: Kysely<Tables>, algorithm: number) {
  return db
    .selectFrom('fault_hash')
    .select(['app', 'hash', 'fault', 'rule', 'split_by', 'split_of'])
    .select(['side', 'first_time', 'last_time', 'first_release', 'last_release'])
    .where('algorithm', '<', algorithm)
    .orderBy('last_time', 'desc')
    .limit(batchSize);
}

/** By what is stored. Of an event whose message was a pattern, or whose type its SDK made up, that may be another hash than it had. */
async function groupNewest(trx: Kysely<Tables>, { app, hash }: OldHash): Promise<Grouping | undefined> {
  for (const side of sides) {
    const row = await selectEvents(trx, side)
      .select(['name', 'message', 'route', 'path', 'frames_json', 'causes_json'])
      .where('fingerprint', '=', hash)
      .where('app', '=', app)
      .orderBy('time', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!row) continue;
    const { name, message, route, path } = row;
    const [frames, causes] = [readFrames(row.frames_json), readCauses(row.causes_json)];
    const culprit = app === ownApp ? '' : route || path.replace(/^(\/[^/]+)\/.+$/, '$1/…');
    return computeGrouping({ name, message, frames, causes, culprit });
  }
  return undefined;
}

/** @returns whether the fault has one more hash */
async function follow(trx: Kysely<Tables>, old: OldHash, algorithm: number): Promise<boolean> {
  await trx
    .updateTable('fault_hash')
    .set({ algorithm })
    .where('app', '=', old.app)
    .where('hash', '=', old.hash)
    .execute();
  if (old.rule === 'given' || old.split_by !== null || old.split_of !== null) return false;
  const grouping = await groupNewest(trx, old);
  if (!grouping) return false;
  const { fingerprint: hash, rule, parts } = grouping;
  const { numInsertedOrUpdatedRows: added } = await trx
    .insertInto('fault_hash')
    .values({ ...old, hash, rule, algorithm, parts_json: JSON.stringify(parts) })
    .onConflict((conflict) => conflict.columns(['app', 'hash']).doNothing())
    .executeTakeFirstOrThrow();
  return added === 1n;
}

/**
 * @param algorithm today's version of the rules
 * @returns how many hashes were added
 */
export async function followRules(store: Store, algorithm: number = groupingAlgorithm): Promise<number> {
  let count = 0;
  for (;;) {
    let looked = 0;
    const result = await store.commit(async (trx) => {
      const found = await selectOld(trx, algorithm).execute();
      for (const old of found) if (await follow(trx, old, algorithm)) count += 1;
      looked = found.length;
    }, 'untrusted');
    // There is no room: the next start goes on.
    if (result !== 'committed' || looked === 0) return count;
    await setTimeout(pauseMs, undefined, { ref: false });
  }
}

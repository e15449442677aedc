import 'server-only';

import { setTimeout } from 'node:timers/promises';

import type { Kysely, Selectable } from 'kysely';

import { computeGrouping, groupingAlgorithm } from '#src/runtime/errors/fingerprint.ts';
import type { Grouping } from '#src/runtime/errors/grouping.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { FaultHashTable, Tables } from '#src/store/schema.ts';

import { findCulprit } from '../event/find-culprit.ts';
import { instancesName, oldTabName } from '../builds/old-tab.ts';
import { readCauses, readFrames } from '../kept/stored-json.ts';
import { selectEvents } from '../kept/select-events.ts';
import { isPatternOfAnswer } from '../unexplained/unexplained-answer.ts';
import { isMaskedMessage } from './masked-errors.ts';

/**
 * After a change of rules the same error comes with another hash. So that it does not begin a fault of its own, and what people have
 * resolved, muted or merged stays so, each known hash gets a second one: that of its newest stored error by today's rules. Where two
 * faults would get the same, the one with the later error has it.
 *
 * This runs in the background after a start, those of the latest errors first. A hash that was looked at has today's version of the rules,
 * so a process may end at any time. A hash that was split gets none, and its parts get none: theirs are made of it.
 */

/** Some 15 ms of the thread that serves pages. */
const batchSize = 50;
const pauseMs = 50;
/** Their rules are no rules of this kind. */
const ownNames: ReadonlySet<string> = new Set([oldTabName, instancesName]);

type OldHash = Omit<Selectable<FaultHashTable>, 'moved' | 'algorithm' | 'parts_json'>;
type Key = Pick<OldHash, 'app' | 'hash'>;

function listOld(db: Kysely<Tables>, algorithm: number): Promise<Key[]> {
  return db
    .selectFrom('fault_hash')
    .select(['app', 'hash'])
    .where('algorithm', '<', algorithm)
    .orderBy('last_time', 'desc')
    .execute();
}

function readOld(trx: Kysely<Tables>, { app, hash }: Key, algorithm: number): Promise<OldHash | undefined> {
  return trx
    .selectFrom('fault_hash')
    .select(['app', 'hash', 'fault', 'rule', 'split_by', 'split_of'])
    .select(['side', 'first_time', 'last_time', 'first_release', 'last_release'])
    .where('app', '=', app)
    .where('hash', '=', hash)
    .where('algorithm', '<', algorithm)
    .executeTakeFirst();
}

/**
 * By what is stored: of an event whose message was a pattern, or whose type its SDK made up, that may be another hash than it had. What a
 * visitor sends names no hash for a server's fault, and React's text in place of a message names none at all.
 */
async function groupNewest(trx: Kysely<Tables>, { app, hash, side }: OldHash): Promise<Grouping | undefined> {
  const row = await selectEvents(trx, side)
    .select(['name', 'message', 'route', 'path', 'phase', 'digest', 'sdk', 'frames_json', 'causes_json'])
    .where('fingerprint', '=', hash)
    .where('app', '=', app)
    .orderBy('time', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row || isMaskedMessage(row.message) || ownNames.has(row.name)) return undefined;
  const { name, message } = row;
  const [frames, causes] = [readFrames(row.frames_json), readCauses(row.causes_json)];
  const isPattern = row.phase === 'answer' && isPatternOfAnswer(row);
  return computeGrouping({ name, message, frames, causes, culprit: culpritOf(row, side, app), isPattern });
}

/** As each sender has it: src/faults/event/to-rows.ts, src/faults/app-errors/to-error-row.ts, and our own errors have none. */
function culpritOf(row: { route: string; path: string; sdk: string }, side: OldHash['side'], app: string): string {
  if (side === 'browser' || row.sdk !== '') return findCulprit(row);
  return app === ownApp ? '' : row.route;
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
  const keys = await listOld(store.db, algorithm);
  let count = 0;
  for (let from = 0; from < keys.length; from += batchSize) {
    const result = await store.commit(async (trx) => {
      for (const key of keys.slice(from, from + batchSize)) {
        const old = await readOld(trx, key, algorithm);
        if (old && (await follow(trx, old, algorithm))) count += 1;
      }
    }, 'untrusted');
    // There is no room: the next start goes on.
    if (result !== 'committed') return count;
    await setTimeout(pauseMs, undefined, { ref: false });
  }
  return count;
}

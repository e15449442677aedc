import 'server-only';

import { setTimeout } from 'node:timers/promises';

import type { Kysely } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { type Trait, traits } from '#src/runtime/errors/grouping.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { addActivity } from './add-activity.ts';
import { isJoining } from './follow-hashes.ts';
import type { OfHash } from './join-part.ts';
import { settleTarget, selectFaults } from './merge-faults.ts';
import { groupByPart, moveParts, readRowsToPart, type SplitHash } from './part-rows.ts';
import { sumFault } from './sum-fault.ts';
import { refuse, type TriageResult } from './triage-result.ts';

/**
 * Splits a fault by what tells its errors apart, also when all have one fingerprint. `fault_hash.split_by` says so from now on;
 * what is kept gets the fingerprints of the parts, the newest at once, the rest in the background (part-rows.ts). The part with
 * most rows stays in the fault, each other becomes one of its own.
 */

/** At most 50 ms of the thread that serves pages (bench/fault-moves.ts). A fault that has more shows its parts a few seconds later. */
const partedAtOnce = 100;
const pauseMs = 50;
/** Of a fault's fingerprints: nobody reads more. */
const hashesLooked = 50;

function selectHashes(trx: Kysely<Tables>) {
  return trx.selectFrom('fault_hash').select(['app', 'hash', 'fault', 'rule', 'algorithm', 'parts_json']);
}

/** What can be split: what is not split already. */
async function listWhole(trx: Kysely<Tables>, fault: string): Promise<readonly SplitHash[]> {
  return selectHashes(trx)
    .where('fault', '=', fault)
    .where('split_by', 'is', null)
    .orderBy('last_time', 'desc')
    .limit(hashesLooked)
    .execute();
}

export type TraitChoice = {
  readonly trait: Trait;
  /** What it would become, the most frequent first; of the newest rows. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
};

/** Enough to see whether a fault is several. */
const rowsCompared = 200;

/**
 * What the newest errors of a fault differ in. Each fingerprint is looked at alone, as it is split alone: those that differ between
 * fingerprints can be split off by them.
 */
export async function readTraitChoices(fault: string): Promise<readonly TraitChoice[]> {
  requireOperator();
  const { db } = await openStore();
  const counts = new Map(traits.map((trait) => [trait, new Map<string, number>()]));
  const whole = await listWhole(db, fault);
  for (const split of whole) {
    const rows = await readRowsToPart(db, split, Math.ceil(rowsCompared / whole.length));
    for (const trait of traits) {
      const values = rows.map(({ traits: own }) => own[trait]);
      const ofTrait = counts.get(trait);
      if (new Set(values).size < 2) continue;
      for (const value of values) ofTrait?.set(value, (ofTrait.get(value) ?? 0) + 1);
    }
  }
  return traits.map((trait) => ({
    trait,
    values: [...(counts.get(trait) ?? [])]
      .map(([value, count]) => ({ value, count }))
      .toSorted((a, b) => b.count - a.count),
  }));
}

/** First of all: in PostgreSQL it makes whoever parts the same hash wait, so that no row is counted twice. */
async function markSplit(trx: Kysely<Tables>, { app, hash }: OfHash, trait: Trait | null): Promise<void> {
  await trx
    .updateTable('fault_hash')
    .set({ split_by: trait })
    .where('app', '=', app)
    .where('hash', '=', hash)
    .execute();
}

type Made = {
  /** Faults. */
  readonly made: readonly string[];
  readonly isMore: boolean;
};

/** @returns undefined when its newest errors are alike */
async function splitHash(trx: Kysely<Tables>, split: SplitHash, trait: Trait, now: number): Promise<Made | undefined> {
  await markSplit(trx, split, trait);
  let rows = await readRowsToPart(trx, split, partedAtOnce);
  const parts = groupByPart(split, trait, rows);
  if (parts.length < 2) {
    await markSplit(trx, split, null);
    return undefined;
  }
  const made = [...(await moveParts(trx, split, parts, 'largest', now)).made];
  let left = partedAtOnce - rows.length;
  // Reports come after errors.
  while (left > 0) {
    rows = await readRowsToPart(trx, split, left);
    if (rows.length === 0) return { made, isMore: false };
    made.push(...(await moveParts(trx, split, groupByPart(split, trait, rows), 'none', now)).made);
    left -= rows.length;
  }
  return { made, isMore: true };
}

/** @param trait what tells its errors apart */
export async function splitFaultBy(fault: string, trait: Trait, now: number = Date.now()): Promise<TriageResult> {
  requireOperator();
  const store = await openStore();
  let isMore = false;
  const result = await store.transact(async (trx): Promise<TriageResult> => {
    const [row] = await selectFaults(trx, [fault]);
    if (!row) return refuse('gone');
    if (await isJoining(trx, [fault])) return refuse('still-joining');
    const made: string[] = [];
    const hashes: string[] = [];
    for (const split of await listWhole(trx, fault)) {
      const outcome = await splitHash(trx, split, trait, now);
      if (!outcome) continue;
      hashes.push(split.hash);
      made.push(...outcome.made);
      isMore ||= outcome.isMore;
    }
    if (hashes.length === 0) return refuse('all-alike');
    for (const id of [fault, ...made]) await sumFault(trx, id);
    const activity = { app: row.app, time: now, type: 'split', by: 'operator' } as const;
    const batch = await addActivity(trx, { ...activity, fault, batch: 'first', detail: { trait, hashes } });
    const activities = [batch];
    for (const id of made) {
      activities.push(await addActivity(trx, { ...activity, fault: id, batch, detail: { from: fault } }));
    }
    const settled = await settleTarget(trx, row, false, now, batch);
    return { type: 'done', batch, activities: settled === undefined ? activities : [...activities, settled] };
  });
  if (isMore) void partLater(store);
  return result;
}

/** Some of what is left of one hash. @returns how many rows */
async function partSome({ transact }: Store, { app, hash }: OfHash): Promise<number> {
  return transact(async (trx) => {
    const found = await selectHashes(trx)
      .select('split_by')
      .where('app', '=', app)
      .where('hash', '=', hash)
      .executeTakeFirst();
    // Undone meanwhile.
    if (!found?.split_by) return 0;
    await markSplit(trx, found, found.split_by);
    const rows = await readRowsToPart(trx, found, partedAtOnce);
    const { faults } = await moveParts(trx, found, groupByPart(found, found.split_by, rows), 'none', Date.now());
    const touched = new Set([found.fault, ...faults]);
    if (rows.length > 0) for (const id of touched) await sumFault(trx, id);
    return rows.length;
  });
}

async function partAll(store: Store): Promise<void> {
  const split = await store.db
    .selectFrom('fault_hash')
    .select(['app', 'hash'])
    .where('split_by', 'is not', null)
    .execute();
  for (const one of split) {
    while ((await partSome(store, one)) > 0) await setTimeout(pauseMs, undefined, { ref: false });
  }
}

const running = new WeakMap<Store, Promise<void>>();

/**
 * What is left of all faults that were split: after a start, too, since a process may end in the middle of it. One after the other
 * in a process: the second finds what came meanwhile.
 */
export function partRest(store: Store): Promise<void> {
  const before = running.get(store) ?? Promise.resolve();
  const next = before.catch(() => undefined).then(() => partAll(store));
  running.set(store, next);
  return next;
}

/** The form's answer does not wait for it. */
async function partLater(store: Store): Promise<void> {
  try {
    await partRest(store);
  } catch (error) {
    // The next start goes on.
    writeLog('warn', 'faults-not-parted', { reason: describeError(error) });
  }
}

import 'server-only';

import { type Kysely, sql } from 'kysely';

import type { Grouping, Trait, Traits } from '#src/runtime/errors/grouping.ts';
import { narrowGrouping, readTraits } from '#src/runtime/errors/narrow-grouping.ts';
import { isTrusted, sides } from '#src/store/event-columns.ts';
import type { FaultHashTable, Level, Side, Tables } from '#src/store/schema.ts';

import { parseJson } from '../receive/untrusted-json.ts';
import { readCauses, readFrames } from '../kept/stored-json.ts';
import { selectEvents } from '../kept/select-events.ts';
import { createFault } from './create-fault.ts';
import { hourMs, hourOf } from './hours.ts';
import { findServerError } from './join-waiting.ts';
import { readCulprit } from './read-culprit.ts';
import { readTextList } from './activity-detail.ts';

/**
 * Gives rows with a fingerprint that was split the fingerprint of their part, with their counts. In steps, each a part of its caller's
 * transaction: a fault may have 100,000 rows. A row that has its part's fingerprint is done, so a process may end in between.
 *
 * What is counted and not kept stays with the hash that was split: nobody can say any more which part it was.
 */

/** An event, as far as it decides. */
export type RowToPart = {
  readonly key: string;
  readonly side: Side;
  readonly name: string;
  readonly message: string;
  readonly culprit: string;
  readonly level: Level;
  readonly receivedAt: number;
  readonly release: string;
  readonly user: string | null;
  readonly traits: Traits;
  /** Where a server's error of the same digest is: an untrusted error of it goes there, whatever it says. */
  readonly follows: string | undefined;
};

export type SplitHash = Pick<FaultHashTable, 'app' | 'hash' | 'fault' | 'rule' | 'algorithm' | 'parts_json'>;

const dayMs = 24 * hourMs;

async function readRows(
  trx: Kysely<Tables>,
  { app, hash }: SplitHash,
  side: Side,
  limit: number,
): Promise<RowToPart[]> {
  const rows = await selectEvents(trx, side)
    .select(['id', 'name', 'message', 'route', 'path', 'level', 'received_at', 'release', 'user_key'])
    .select(['frames_json', 'causes_json', 'digest', 'trace_id'])
    .where('fingerprint', '=', hash)
    .where('app', '=', app)
    .where('fault', 'is not', null)
    .orderBy('time', 'desc')
    .limit(limit)
    .execute();
  const read: RowToPart[] = [];
  for (const { id: key, name, message, route, path, level, release, digest, trace_id, received_at, ...row } of rows) {
    const frames = readFrames(row.frames_json);
    const traits = readTraits({ message, frames, causes: readCauses(row.causes_json) });
    const server = isTrusted(side)
      ? undefined
      : await findServerError(trx, { app, digest, trace_id, message, received_at, release });
    const told = { key, side, name, message, level, release, traits, culprit: readCulprit(frames, route || path) };
    read.push({ ...told, receivedAt: received_at, user: row.user_key, follows: server?.fingerprint });
  }
  return read;
}

/** Those of servers first: untrusted errors follow them. */
export async function readRowsToPart(trx: Kysely<Tables>, split: SplitHash, limit: number): Promise<RowToPart[]> {
  const told = await readRows(trx, split, 'server', limit);
  return told.length > 0 ? told : readRows(trx, split, 'browser', limit);
}

function toGrouping({ hash, rule, parts_json }: SplitHash): Grouping {
  return { fingerprint: hash, rule, parts: readTextList(parseJson(parts_json)) };
}

export type Part = { readonly grouping: Grouping; readonly rows: readonly RowToPart[] };

/** Groups rows by their new fingerprints, the largest group first; of two as large the one that began first. */
export function groupByPart(split: SplitHash, trait: Trait, rows: readonly RowToPart[]): readonly Part[] {
  const parts = new Map<string, { readonly grouping: Grouping; readonly rows: RowToPart[] }>();
  const whole = toGrouping(split);
  for (const row of rows) {
    const own = narrowGrouping({ ...whole, traits: row.traits }, trait);
    const grouping =
      row.follows === undefined || row.follows === split.hash ? own : { ...own, fingerprint: row.follows };
    const part = parts.get(grouping.fingerprint);
    if (part) part.rows.push(row);
    else parts.set(grouping.fingerprint, { grouping, rows: [row] });
  }
  const began = ({ rows: ofPart }: Part) => Math.min(...ofPart.map(({ receivedAt }) => receivedAt));
  return [...parts.values()].toSorted((a, b) => b.rows.length - a.rows.length || began(a) - began(b));
}

/** The rows that a part's times and names follow: those of servers, where it has any. */
function listTelling(rows: readonly RowToPart[]): readonly RowToPart[] {
  const told = rows.filter(({ side }) => side === 'server');
  return (told.length > 0 ? told : rows).toSorted((a, b) => a.receivedAt - b.receivedAt);
}

function readTimes(rows: readonly RowToPart[]) {
  const telling = listTelling(rows);
  const [first, last] = [telling[0], telling.at(-1)];
  if (!first || !last) throw new Error('A part without rows');
  return {
    side: last.side,
    first_time: first.receivedAt,
    last_time: last.receivedAt,
    first_release: first.release,
    last_release: last.release,
    latest: last,
  };
}

/**
 * The fault of a part. @param first the fault that the first new part stays in; without it each new part becomes a fault of its own
 * @returns whether it was made now
 */
async function findFault(
  trx: Kysely<Tables>,
  split: SplitHash,
  part: Part,
  first: string | undefined,
  now: number,
): Promise<{ readonly fault: string; readonly isNew: boolean }> {
  const { app } = split;
  const { fingerprint: hash, parts } = part.grouping;
  const known = await trx
    .selectFrom('fault_hash')
    .select('fault')
    .where('app', '=', app)
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (known) return { fault: known.fault, isNew: false };
  const { latest, ...times } = readTimes(part.rows);
  const { name, message, culprit, level } = latest;
  const described = { app, name, message, culprit, level, ...times, state_time: now, unseen: null };
  const fault = first ?? (await createFault(trx, described));
  await trx
    .insertInto('fault_hash')
    .values({
      app,
      hash,
      fault,
      rule: split.rule,
      algorithm: split.algorithm,
      parts_json: JSON.stringify(parts),
      split_by: null,
      split_of: split.hash,
      ...times,
    })
    .execute();
  return { fault, isNew: first === undefined };
}

/** The row that counts it may be a day's by now (age-counts.ts). */
async function moveHour(trx: Kysely<Tables>, split: SplitHash, to: string, rows: readonly RowToPart[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const { app, hash } = split;
  const untrusted = rows.filter(({ side }) => side === 'browser').length;
  const count = rows.length - untrusted;
  for (const hour of [hourOf(first.receivedAt), Math.floor(first.receivedAt / dayMs) * dayMs]) {
    const { numUpdatedRows } = await trx
      .updateTable('fault_hour')
      .set({
        count: sql`case when count > ${count} then count - ${count} else 0 end`,
        untrusted: sql`case when untrusted > ${untrusted} then untrusted - ${untrusted} else 0 end`,
      })
      .where('app', '=', app)
      .where('hash', '=', hash)
      .where('hour', '=', hour)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) continue;
    await sql`insert into fault_hour (app, hash, hour, count, untrusted) values (${app}, ${to}, ${hour}, ${count}, ${untrusted})
      on conflict (app, hash, hour) do update set
        count = fault_hour.count + excluded.count, untrusted = fault_hour.untrusted + excluded.untrusted`.execute(trx);
    return;
  }
}

async function moveCounts(
  trx: Kysely<Tables>,
  split: SplitHash,
  to: string,
  rows: readonly RowToPart[],
): Promise<void> {
  const hours = Map.groupBy(rows, ({ receivedAt }) => hourOf(receivedAt));
  for (const ofHour of hours.values()) await moveHour(trx, split, to, ofHour);
  await moveUsers(trx, split, to, [...new Set(rows.flatMap(({ user }) => user ?? []))]);
}

/**
 * Who has more rows of the hash that was split comes into their parts with them: to look for them among all that are left would take a
 * second for each hundred.
 */
async function moveUsers(
  trx: Kysely<Tables>,
  { app, hash }: SplitHash,
  to: string,
  users: readonly string[],
): Promise<void> {
  if (users.length === 0) return;
  await trx
    .insertInto('fault_user')
    .values(users.map((user_key) => ({ app, hash: to, user_key })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .deleteFrom('fault_user')
    .where('app', '=', app)
    .where('hash', '=', hash)
    .where('user_key', 'in', users)
    .execute();
}

const keysAtOnce = 500;

async function moveRows(trx: Kysely<Tables>, to: { fingerprint: string; fault: string }, rows: readonly RowToPart[]) {
  for (const side of sides) {
    const keys = rows.filter((row) => row.side === side).map(({ key }) => key);
    for (let at = 0; at < keys.length; at += keysAtOnce) {
      const some = keys.slice(at, at + keysAtOnce);
      await trx.updateTable('event').set(to).where('side', '=', side).where('id', 'in', some).execute();
      if (isTrusted(side)) continue;
      await trx.updateTable('feedback').set({ fault: to.fault }).where('event_id', 'in', some).execute();
    }
  }
}

type MovedParts = {
  /** Faults that were made now. */
  readonly made: readonly string[];
  /** All faults that have the parts: their sums are other ones. */
  readonly faults: readonly string[];
};

/** @param stays the largest part stays in the fault that was split, unless another does already */
export async function moveParts(
  trx: Kysely<Tables>,
  split: SplitHash,
  parts: readonly Part[],
  stays: 'largest' | 'none',
  now: number,
): Promise<MovedParts> {
  const made: string[] = [];
  const faults: string[] = [];
  for (const [index, part] of parts.entries()) {
    const first = stays === 'largest' && index === 0 ? split.fault : undefined;
    const { fault, isNew } = await findFault(trx, split, part, first, now);
    const { fingerprint } = part.grouping;
    await moveRows(trx, { fingerprint, fault }, part.rows);
    await moveCounts(trx, split, fingerprint, part.rows);
    faults.push(fault);
    if (isNew) made.push(fault);
  }
  return { made, faults };
}

import 'server-only';

import { randomInt } from 'node:crypto';

import { sql, type Transaction } from 'kysely';

import { groupingAlgorithm, type Grouping } from '#src/runtime/errors/fingerprint.ts';
import type { FaultTable, FaultTurnTable, Level, Tables } from '#src/store/schema.ts';

import { writeFaultState } from './fault-state.ts';
import { createTurnId } from './turn-id.ts';

/**
 * Counts an occurrence for its fault, in the transaction that stores the occurrence or what was understood of it. So a fault and
 * its counts are never there without each other, and whoever reads `fault_turn` sees each new fault exactly once.
 */
export type NotedOccurrence = {
  readonly side: FaultTable['side'];
  /** The row's key: `error.id` or `report.event_id`. */
  readonly id: string;
  readonly app: string;
  readonly grouping: Grouping;
  readonly name: string;
  readonly message: string;
  readonly culprit: string;
  readonly level: Level;
  /** Empty when it is not known. */
  readonly release: string;
  readonly userKey: string | undefined;
  /** By our clock. */
  readonly receivedAt: number;
};

/** The fault, for the row's column `fault`. */
export type Noted = { readonly fault: string; readonly turn: FaultTurnTable['type'] | undefined };

export const hourMs = 3_600_000;
/** As digests: no letter that is read as another. */
const idCharacters = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 8;
/** Counting users further would cost a row each and tell nobody more. */
export const usersCounted = 1_000;

function createFaultId(): string {
  return Array.from({ length: idLength }, () => idCharacters.charAt(randomInt(idCharacters.length))).join('');
}

export async function addTurn(
  trx: Transaction<Tables>,
  turn: Pick<FaultTurnTable, 'fault' | 'app' | 'time' | 'type' | 'by'> & {
    readonly occurrence?: string;
    readonly detail?: Readonly<Record<string, unknown>>;
  },
): Promise<string> {
  const { detail = {}, occurrence, ...given } = turn;
  const id = createTurnId(turn.time);
  await trx
    .insertInto('fault_turn')
    .values({
      ...given,
      id,
      occurrence: occurrence ?? null,
      detail_json: JSON.stringify(detail),
      batch: null,
      undone: null,
    })
    .execute();
  return id;
}

async function createFault(trx: Transaction<Tables>, occurrence: NotedOccurrence): Promise<string> {
  const { app, side, name, message, culprit, level, release, receivedAt } = occurrence;
  const id = createFaultId();
  await trx
    .insertInto('fault')
    .values({
      id,
      app,
      side,
      name,
      message,
      culprit,
      level,
      ...writeFaultState({ type: 'open' }),
      state_time: receivedAt,
      news: 'new',
      first_time: receivedAt,
      last_time: receivedAt,
      first_release: release,
      last_release: release,
      merged_into: null,
    })
    .execute();
  await addTurn(trx, { fault: id, app, time: receivedAt, type: 'first-seen', by: 'system', occurrence: occurrence.id });
  return id;
}

async function countHour(trx: Transaction<Tables>, { app, grouping, side, receivedAt }: NotedOccurrence) {
  const counts = side === 'server' ? { count: 1, claims: 0 } : { count: 0, claims: 1 };
  const hour = Math.floor(receivedAt / hourMs) * hourMs;
  await trx
    .insertInto('fault_hour')
    .values({ app, hash: grouping.fingerprint, hour, ...counts })
    .onConflict((conflict) =>
      conflict.columns(['app', 'hash', 'hour']).doUpdateSet({
        count: sql`fault_hour.count + excluded.count`,
        claims: sql`fault_hour.claims + excluded.claims`,
      }),
    )
    .execute();
}

/** @returns whether this user is one more */
async function countUser(trx: Transaction<Tables>, { app, grouping, userKey }: NotedOccurrence, known: number) {
  if (userKey === undefined || known >= usersCounted) return false;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('fault_user')
    .values({ app, hash: grouping.fingerprint, user_key: userKey })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function noteOccurrence(trx: Transaction<Tables>, occurrence: NotedOccurrence): Promise<Noted> {
  const { app, grouping, side, name, message, culprit, level, release, receivedAt } = occurrence;
  const hash = grouping.fingerprint;
  const known = await trx
    .selectFrom('fault_hash')
    .innerJoin('fault', 'fault.id', 'fault_hash.fault')
    .select(['fault.id', 'fault.users', 'fault.side'])
    .where('fault_hash.app', '=', app)
    .where('fault_hash.hash', '=', hash)
    .executeTakeFirst();
  const fault = known?.id ?? (await createFault(trx, occurrence));
  if (!known) {
    const { rule, parts } = grouping;
    await trx
      .insertInto('fault_hash')
      .values({
        app,
        hash,
        fault,
        rule,
        side,
        algorithm: groupingAlgorithm,
        parts_json: JSON.stringify(parts),
        first_time: receivedAt,
        last_time: receivedAt,
        first_release: release,
        last_release: release,
      })
      .execute();
  }
  if (release !== '') {
    await trx
      .insertInto('app_release')
      .values({ app, name: release, first_time: receivedAt })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await countHour(trx, occurrence);
  const isNewUser = await countUser(trx, occurrence, known?.users ?? 0);
  const isClaimOfKnown = known?.side === 'server' && side === 'browser';
  await trx
    .updateTable('fault')
    .set(({ eb, fn }) => ({
      // A browser's claim does not change what a server said.
      ...(isClaimOfKnown ? {} : { side, name, message, culprit, level }),
      ...(release === '' ? {} : { last_release: release }),
      first_time: fn<number>('min', ['first_time', eb.val(receivedAt)]),
      last_time: fn<number>('max', ['last_time', eb.val(receivedAt)]),
      count: eb('count', '+', side === 'server' ? 1 : 0),
      claims: eb('claims', '+', side === 'browser' ? 1 : 0),
      users: eb('users', '+', isNewUser ? 1 : 0),
    }))
    .where('id', '=', fault)
    .execute();
  return { fault, turn: known ? undefined : 'first-seen' };
}

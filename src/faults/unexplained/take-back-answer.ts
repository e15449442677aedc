import 'server-only';

import { sql, type Kysely } from 'kysely';

import type { EventRow, NewEvent, Tables } from '#src/store/schema.ts';

import { brokenPipe, nearMs, readLateMs, uncaughtStatus } from './unexplained-answer.ts';

/**
 * The cause of an answer may come after the answer was stored as one that nobody explained. Then its row makes way, and is counted no
 * more. By the digest, the trace, or the request's place and time.
 */

export type AnswerTakenBack = { readonly fault: string; readonly hash: string; readonly receivedAt: number };

const uncaught = `HTTP ${uncaughtStatus}`;

type FoundAnswer = Pick<EventRow, 'id' | 'fault' | 'fingerprint' | 'received_at'>;

/** One statement, in words: each error of a server asks this before it is stored, and nearly always for nothing. */
async function findAnswer(
  trx: Kysely<Tables>,
  { app = '', digest, trace_id: trace = '', path, route = '', time }: NewEvent,
): Promise<FoundAnswer | undefined> {
  const isNamed = sql`(digest = ${digest ?? null} or (trace_id = ${trace} and trace_id <> ''))`;
  const isUncaught = sql`name = ${uncaught}`;
  const isOfRoute = sql`(rtrim(path, '/') = ${route} and ${route} <> '')`;
  const isNear =
    path === '' ? sql`(${isUncaught} or ${isOfRoute}) and time >= ${time - readLateMs}` : sql`path = ${path}`;
  const isAlike = digest ? sql`digest is null and ${isNear}` : isNear;
  // "phase = 'answer'" as a text, for the index of answers.
  const { rows } = await sql<FoundAnswer>`
    select id, fault, fingerprint, received_at from event
    where side = 'server' and app = ${app} and phase = 'answer'
      and time >= ${time - nearMs} and time <= ${time + nearMs} and (${isNamed} or (${isAlike}))
    order by case when ${isNamed} then 0 when ${isOfRoute} then 1 when ${isUncaught} then 2 else 3 end, abs(time - ${time}), time
    limit 1`.execute(trx);
  return rows[0];
}

/** Of a server's error that stays, in another row: this one leaves nothing in `past_digest`. */
export async function removeRow(trx: Kysely<Tables>, id: string): Promise<void> {
  await trx.updateTable('event').set({ digest: null }).where('id', '=', id).where('side', '=', 'server').execute();
  await trx.deleteFrom('event').where('id', '=', id).where('side', '=', 'server').execute();
}

/** Call it before `row` is stored. @returns what is to be counted no more */
export async function takeBackAnswer(trx: Kysely<Tables>, row: NewEvent): Promise<AnswerTakenBack | undefined> {
  if (row.phase === 'answer' || row.message === brokenPipe) return undefined;
  const answer = await findAnswer(trx, row);
  if (!answer) return undefined;
  await removeRow(trx, answer.id);
  const { fault, fingerprint: hash, received_at: receivedAt } = answer;
  return fault === null ? undefined : { fault, hash, receivedAt };
}

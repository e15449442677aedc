import 'server-only';

import { sql, type Kysely } from 'kysely';

import type { NewEvent, Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';
import { nearMs, readLateMs, uncaughtStatus } from './unexplained-answer.ts';

/**
 * The cause of an answer may come after the answer was stored as one that nobody explained. Then its row makes way, and is counted no
 * more. By the digest, the trace, or the request's place and time.
 */
export type AnswerTakenBack = { readonly fault: string; readonly hash: string; readonly receivedAt: number };

async function findAnswer(trx: Kysely<Tables>, { app = '', digest, trace_id: trace = '', path, time }: NewEvent) {
  const near = selectEvents(trx, 'server')
    .select(['id', 'fault', 'fingerprint', 'received_at'])
    .where('app', '=', app)
    // In words, for the index of answers.
    .where('phase', '=', sql.lit('answer'))
    .where('time', '>=', time - nearMs)
    .where('time', '<=', time + nearMs)
    .orderBy('time')
    .limit(1);
  const named = await near
    .where(({ eb, or }) =>
      or([...(digest ? [eb('digest', '=', digest)] : []), ...(trace === '' ? [] : [eb('trace_id', '=', trace)])]),
    )
    .executeTakeFirst();
  if (named) return named;
  const uncaught = `HTTP ${uncaughtStatus}`;
  const alike =
    path === ''
      ? near.where('name', '=', uncaught).where('time', '>=', time - readLateMs)
      : near
          .where('path', '=', path)
          .clearOrderBy()
          .orderBy(sql`case when name = ${uncaught} then 0 else 1 end`)
          .orderBy('time');
  return digest ? alike.where('digest', 'is', null).executeTakeFirst() : alike.executeTakeFirst();
}

/** Of a server's error that stays, in another row: this one leaves nothing in `past_digest`. */
export async function removeRow(trx: Kysely<Tables>, id: string): Promise<void> {
  await trx.updateTable('event').set({ digest: null }).where('id', '=', id).where('side', '=', 'server').execute();
  await trx.deleteFrom('event').where('id', '=', id).where('side', '=', 'server').execute();
}

/** Call it before `row` is stored. @returns what is to be counted no more */
export async function takeBackAnswer(trx: Kysely<Tables>, row: NewEvent): Promise<AnswerTakenBack | undefined> {
  if (row.phase === 'answer') return undefined;
  const answer = await findAnswer(trx, row);
  if (!answer) return undefined;
  await removeRow(trx, answer.id);
  const { fault, fingerprint: hash, received_at: receivedAt } = answer;
  return fault === null ? undefined : { fault, hash, receivedAt };
}

import 'server-only';

import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';

import { selectEvents } from './select-events.ts';

/** An answer that failed and carried no digest. Times are milliseconds since 1970. */
export type DigestlessAnswer = {
  readonly app: string;
  readonly requestId: string;
  readonly path: string;
  readonly startedAt: number;
  readonly endedAt: number;
};

export type ErrorOfAnswer = {
  readonly id: string;
  readonly fault: string | null;
  readonly name: string;
  readonly message: string;
  /** By its request; else it was of the same address at that time, and may be another answer's. */
  readonly isSure: boolean;
};

/** The clocks are those of one machine, or of two that follow the same time. */
const nearMs = 5_000;
/** A sender tries again for some seconds, and a spool waits for its database. */
const receivedWithinMs = 10 * 60_000;
const read = 200;
const listed = 3;

/** What an app told of an answer, or what is said of one of which it told nothing. The surest first. */
export async function findErrorsOfAnswer(answer: DigestlessAnswer): Promise<readonly ErrorOfAnswer[]> {
  requireReader();
  const { app, requestId, path } = answer;
  // PostgreSQL compares whole numbers alone, and an answer takes a part of a millisecond.
  const [startedAt, endedAt] = [Math.floor(answer.startedAt), Math.ceil(answer.endedAt)];
  const { db } = await openStore();
  const rows = await selectEvents(db, 'server')
    .select(['id', 'fault', 'name', 'message', 'request_id', 'time'])
    .where('app', '=', app)
    .where('received_at', '>=', startedAt - nearMs)
    .where('received_at', '<=', endedAt + receivedWithinMs)
    .where('time', '>=', startedAt - nearMs)
    .where('time', '<=', endedAt + nearMs)
    .where((eb) => eb.or([eb('request_id', '=', requestId), eb.and([eb('path', '=', path), eb('digest', 'is', null)])]))
    .orderBy('received_at')
    .limit(read)
    .execute();
  const named = rows.filter((row) => row.request_id === requestId);
  const distance = ({ time }: { readonly time: number }) => Math.abs(time - endedAt);
  const found = named.length > 0 ? named : rows.filter((row) => row.request_id === '');
  return found
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, listed)
    .map(({ id, fault, name, message }) => ({ id, fault, name, message, isSure: named.length > 0 }));
}

import 'server-only';

import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';

import { brokenPipe, isNear, nearMs, type SeenAnswer } from '../unexplained/unexplained-answer.ts';
import { selectEvents } from './select-events.ts';

/** An answer that failed and carried no digest. */
export type DigestlessAnswer = Pick<
  SeenAnswer,
  'app' | 'method' | 'requestId' | 'path' | 'status' | 'startedAt' | 'endedAt'
>;

export type ErrorOfAnswer = {
  readonly id: string;
  readonly fault: string | null;
  readonly name: string;
  readonly message: string;
  /** Of the same address at that time, or of that time alone, it may be another answer's. */
  readonly by: 'request' | 'address' | 'time';
};

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
    .select(['id', 'fault', 'name', 'message', 'request_id', 'digest', 'method', 'path', 'route', 'time'])
    .where('app', '=', app)
    .where('received_at', '>=', startedAt - nearMs)
    .where('received_at', '<=', endedAt + receivedWithinMs)
    .where('time', '>=', startedAt - nearMs)
    .where('time', '<=', endedAt + nearMs)
    .where((eb) =>
      eb.or([eb('request_id', '=', requestId), eb.and([eb('path', 'in', [path, '']), eb('digest', 'is', null)])]),
    )
    .orderBy('received_at')
    .limit(read)
    .execute();
  const distance = ({ time }: { readonly time: number }) => Math.abs(time - endedAt);
  const listBy = (by: ErrorOfAnswer['by'], found: typeof rows): readonly ErrorOfAnswer[] =>
    found
      .toSorted((one, other) => distance(one) - distance(other))
      .slice(0, listed)
      .map(({ id, fault, name, message }) => ({ id, fault, name, message, by }));
  const named = rows.filter((row) => row.request_id === requestId);
  if (named.length > 0) return listBy('request', named);
  const near = rows.filter(
    (row) =>
      row.request_id === '' &&
      row.message !== brokenPipe &&
      (row.method === '' || row.method === answer.method) &&
      isNear(row, { ...answer, digests: [] }),
  );
  const ofPath = near.filter((row) => row.path === path);
  const [by, found] = ofPath.length > 0 ? (['address', ofPath] as const) : (['time', near] as const);
  // Those of another answer are left out where one fits, and shown where the clocks differ.
  const exact = found.filter(({ time }) => time >= startedAt && time <= endedAt);
  return listBy(by, exact.length > 0 ? exact : found);
}

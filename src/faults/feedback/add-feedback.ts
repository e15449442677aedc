import 'server-only';

import { type Kysely, sql, type Transaction } from 'kysely';

import { countBytes } from '#src/store/event-columns.ts';
import type { FeedbackTable, Tables } from '#src/store/schema.ts';

import { createActivityId } from '../grouping/activity-id.ts';
import { scrubPath, scrubText } from '../scrubbing/scrub.ts';
import { isOfApp, isUnder } from '../kept/select-events.ts';
import { boundText } from '../receive/untrusted-json.ts';

/**
 * Keeps what a person wrote about an error. Anybody can write, so all of it is untrusted: it is scrubbed, cut, and shown as
 * text. It belongs to the fault of the error that it names. Where no such error is known yet (the browser's error of it
 * comes a moment later) it waits without a fault; later feedback gives it one, and `listFeedback` finds it before that.
 *
 * The table has few rows whatever is sent. The limits below also say what makes room for what: a flood about one error pushes
 * out neither what was first written about it nor what was written about others.
 */
export type NewFeedback = {
  readonly app: string;
  readonly source: FeedbackTable['source'];
  /** Of the error's event, 32 hex digits; not of the feedback's own event. */
  readonly eventId?: string | undefined;
  /** In its stored form. */
  readonly digest?: string | undefined;
  readonly traceId?: string | undefined;
  readonly name: string;
  /** Only that there was one is kept. */
  readonly email: string;
  readonly message: string;
  /** Or the address of the page. */
  readonly path: string;
  /** By our clock. */
  readonly receivedAt: number;
};

/** In bytes. The first is Sentry's limit for a message. */
const messageLimit = 4_096;
const nameLimit = 128;
const pathLimit = 512;

/** More than a person reads about one fault. */
const keptOfFault = 200;
/** Of these the first: they are the likeliest to be from people who had the error. */
const keptFirst = 50;
/** Of one app's feedback about errors that are not known. Only a browser's error can become known later, within minutes. */
const keptWaiting = 200;
/** 9 MiB, if each is as large as it may be; retention.ts keeps fewer where that is much of the limit. */
const keptOfAll = 2_000;
/** What waited and is looked at again with a new one: the error that it names came within minutes, or not at all. */
const lookedAtAgain = 20;
const deletedAtOnce = 100;

const isOfDigest = isUnder(sql.ref('feedback.digest'), sql.ref('feedback.app'));

/**
 * Each row that waits asks for it. The index of digests has the app in it, and the index of traces does not. Other apps may have
 * stored very many errors of one trace, so few of them are looked at.
 */
const tracedLookedAt = 20;

function ofTrace(side: 'server' | 'browser', order: string) {
  const rows = sql`select fault, app from event
    where side = ${sql.lit(side)} and trace_id = feedback.trace_id order by ${sql.raw(order)} limit ${sql.lit(tracedLookedAt)}`;
  return sql`(select fault from (${rows}) as traced where ${isOfApp(sql.ref('feedback.app'))} limit 1)`;
}

const latestTrusted = sql`(select fault from event where side = 'server' and ${isOfDigest} order by time desc limit 1)`;
const firstUntrusted = sql`(select fault from event where side = 'browser' and ${isOfDigest} order by received_at limit 1)`;

/**
 * The fault of the error that a row of `feedback` names: by its event, else by its digest, else by its trace. Null when no such
 * error is there, or when its stack is not understood yet.
 */
export const faultOfError = sql<string | null>`coalesce(
  (select fault from event where id = feedback.event_id and side = 'server' and app = feedback.app),
  (select fault from event where id = feedback.event_id and side = 'browser' and app = feedback.app),
  ${latestTrusted}, ${firstUntrusted}, ${ofTrace('server', 'time desc')}, ${ofTrace('browser', 'received_at')})`;

/** A sender that got no answer sends the same again. */
async function isKept(trx: Transaction<Tables>, row: FeedbackTable): Promise<boolean> {
  const same = trx
    .selectFrom('feedback')
    .select('id')
    .where('app', '=', row.app)
    .where('digest', row.digest === null ? 'is' : '=', row.digest)
    .where('event_id', row.event_id === null ? 'is' : '=', row.event_id)
    .where('message', '=', row.message);
  return (await same.limit(1).executeTakeFirst()) !== undefined;
}

/** Deletes one row of those that share the fault of this new one, or that wait as it does, when they are too many. */
async function makeRoom(trx: Transaction<Tables>, id: string): Promise<void> {
  const { fault, app } = await trx
    .selectFrom('feedback')
    .select(['fault', 'app'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const [kept, first] = fault === null ? [keptWaiting, 0] : [keptOfFault, keptFirst];
  const oldest = trx
    .selectFrom('feedback')
    .select('id')
    .where('app', '=', app)
    .where('fault', fault === null ? 'is' : '=', fault)
    .orderBy('received_at')
    .limit(1);
  const isFull = await oldest.offset(kept).executeTakeFirst();
  const surplus = isFull && (await oldest.offset(first).executeTakeFirst());
  if (surplus) await trx.deleteFrom('feedback').where('id', '=', surplus.id).execute();
  await deleteFeedbackBeyond(trx, keptOfAll, deletedAtOnce);
}

/**
 * Deletes of the app that has most: what is about errors that only browsers told or nobody knows before what is about a server's,
 * and the oldest first. So a flood about one app's errors, which anybody can send, takes nothing from another app.
 * @returns how many; at most `atOnce`
 */
export async function deleteFeedbackBeyond(db: Kysely<Tables>, kept: number, atOnce: number): Promise<number> {
  const { total } = await db
    .selectFrom('feedback')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  if (total <= kept) return 0;
  const largest = db
    .selectFrom('feedback')
    .select('app')
    .groupBy('app')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .limit(1);
  const surplus = db
    .selectFrom('feedback')
    .leftJoin('fault', 'fault.id', 'feedback.fault')
    .select('feedback.id')
    .where('feedback.app', '=', largest)
    .orderBy(sql`case when fault.side = 'server' then 1 else 0 end`)
    .orderBy('feedback.received_at')
    .orderBy('feedback.id')
    .limit(Math.min(total - kept, atOnce));
  // In two steps: PostgreSQL would not take a limit for a deletion's own.
  const ids = (await surplus.execute()).map(({ id }) => id);
  await db.deleteFrom('feedback').where('id', 'in', ids).execute();
  return ids.length;
}

/** Scrubs, cuts, finds the fault, and inserts. Nothing happens when there is no text. */
export async function addFeedback(trx: Transaction<Tables>, feedback: NewFeedback): Promise<void> {
  const message = boundText(scrubText(feedback.message.slice(0, messageLimit)), messageLimit).trim();
  if (message === '') return;
  const name = boundText(scrubText(feedback.name.slice(0, nameLimit)), nameLimit).trim();
  const path = boundText(scrubPath(feedback.path.slice(0, pathLimit)), pathLimit);
  const row: FeedbackTable = {
    id: createActivityId(),
    app: feedback.app,
    event_id: feedback.eventId ?? null,
    digest: feedback.digest ?? null,
    trace_id: feedback.traceId ?? null,
    fault: null,
    received_at: feedback.receivedAt,
    source: feedback.source,
    name,
    email: feedback.email.trim() === '' ? '' : '[email]',
    message,
    path,
    bytes: countBytes({ name, message, path }),
  };
  if (await isKept(trx, row)) return;
  await trx.insertInto('feedback').values(row).execute();
  // Also what waited: the reports that it names may have come.
  const waiting = trx.selectFrom('feedback').select('id').where('app', '=', row.app).where('fault', 'is', null);
  const latest = waiting.orderBy('id', 'desc');
  await trx
    .updateTable('feedback')
    .set({ fault: faultOfError })
    .where('id', 'in', latest.limit(1 + lookedAtAgain))
    .execute();
  await makeRoom(trx, row.id);
}

import 'server-only';

import { type RawBuilder, sql, type Transaction } from 'kysely';

import { mayBeOfOne } from '#report/masked-text.ts';
import { nextDigest } from '#report/next-digest.ts';
import { readThrownAt } from '#report/thrown-at.ts';
import { ownApp } from '#src/store/own-app.ts';
import { bareNumberSql, isSuffixedSql } from '#src/store/past-digests.ts';
import type { EventRow, NewEvent, Tables } from '#src/store/schema.ts';

import { isMaskedMessage, isMinted } from '../grouping/masked-errors.ts';
import { isUnder, selectEvents } from '../kept/select-events.ts';
import { readCauses } from '../kept/stored-json.ts';

/**
 * Whose a digest is. Next.js makes one of message and stack, so an error with the digest of another one and with another message or
 * other frames is no error of the app. In the output of an app that prints what visitors wrote, any of them can write one: with a digest
 * that they saw on an error page, before or after the error itself is printed.
 *
 * So of what was printed, the first keeps the digest, whatever build printed it. What says something else is kept without it, and is
 * listed on the digest's page, since nobody knows which of them is the app's own. What the app reported itself goes before all that was
 * printed, whichever came first.
 */

/** Of one digest, its first and its latest. So no number of later ones hides the first. */
const rowsCompared = 20;
/** Printed texts of React's that a digest has in a row: fewer than are compared, and than are looked at for an error that says more. */
const maskedKept = 5;
/** The first of a digest that was printed before its app reported it. */
const rowsLookedAt = 10;
/** Some ten milliseconds where they are large. The next report takes as many. */
const rowsTakenBack = 100;

/**
 * As it is looked up (`bareNumberSql`): of Next's the number alone, which is what a person reads out. A shorter number may be a status that
 * an app gives to many errors.
 */
export function toPrintedDigest(digest: string): string {
  return nextDigest.exec(digest)?.[1] ?? digest;
}

/** Whether all errors that have it say the same. An app may give one of its own to many. */
export function saysOne(digest: string): boolean {
  return nextDigest.test(digest) || isMinted(digest);
}

/** Where an index has the rows of a digest, and in which order. */
type Place = { readonly where: RawBuilder<boolean>; readonly order: 'time' | 'received_at' };

/** As this app has it: one number of Next's may be there without a suffix, and with any. */
function listPlaces(app: string, digest: string): readonly Place[] {
  const number = nextDigest.exec(digest)?.[1];
  const plain: Place = { where: isUnder(number ?? digest, app), order: 'time' };
  if (number === undefined) return [plain];
  const suffixed = sql<boolean>`${isSuffixedSql} and ${bareNumberSql} = ${number} and event.app = ${app}`;
  return [plain, { where: suffixed, order: 'received_at' }];
}

type Known = Pick<EventRow, 'id' | 'time' | 'message' | 'printed'> & {
  readonly isWhole: number;
  /** No frames and no causes. */
  readonly isBare: number;
  /** Of the error that is compared with it, it has the stack as it was printed, to the column. */
  readonly hasStack: number;
  /** The same frames, in words: without source maps these may be none. */
  readonly hasFrames: number;
  /** Where it says the same and has other frames: its stack as it was thrown. Else empty. */
  readonly thrown: string;
};

type Compared = Pick<NewEvent, 'fingerprint' | 'message' | 'stack' | 'printed'>;

/** More than a message that is kept, and a frame. */
const stackCompared = 20_000;

/** Leaves out the message: what looks like a frame there is a visitor's. */
function readOwnThrownAt(stack: string, message: string): string {
  const from = stack.indexOf(message);
  return readThrownAt(from === -1 ? stack : stack.slice(from + message.length));
}

/**
 * Two prints have equal stacks. A report has other paths than a print, so their frames are compared. A map may have come between
 * the two: then their frames differ, and the place where both were thrown is compared. Next.js prints no frames of packages, so a
 * print may have no frames. Such a print is the same error where it has no cause either.
 */
function isSame(known: Known, { message, printed, stack = '' }: Compared): boolean {
  if (known.message !== message) return false;
  if (known.printed === 1 && printed === 1) return known.hasStack === 1;
  if (known.hasFrames === 1 || (known.printed === 1 && known.isBare === 1)) return true;
  const thrownAt = readOwnThrownAt(stack, message);
  return thrownAt !== '' && readOwnThrownAt(known.thrown, message) === thrownAt;
}

function readKnown(
  trx: Transaction<Tables>,
  { fingerprint, message, stack = '' }: Compared,
  { where, order }: Place,
  direction: 'asc' | 'desc',
  limit: number,
): Promise<readonly Known[]> {
  const isElsewhere = sql`message = ${message} and fingerprint <> ${fingerprint}`;
  return selectEvents(trx, 'server')
    .select(['id', 'time', 'message', 'printed'])
    .select(sql<number>`case when frames_json = '[]' then 0 else 1 end`.as('isWhole'))
    .select(sql<number>`case when frames_json = '[]' and causes_json = '[]' then 1 else 0 end`.as('isBare'))
    .select(sql<number>`case when stack = ${stack} then 1 else 0 end`.as('hasStack'))
    .select(sql<number>`case when fingerprint = ${fingerprint} then 1 else 0 end`.as('hasFrames'))
    .select(sql<string>`case when ${isElsewhere} then substr(stack, 1, ${stackCompared}) else '' end`.as('thrown'))
    .where(where)
    .where('phase', '!=', 'answer')
    .orderBy(order, direction)
    .limit(limit)
    .execute();
}

/** @returns whether the digest of what was printed belongs to an error that says something else */
async function isOfAnother(trx: Transaction<Tables>, digest: string, row: NewEvent): Promise<boolean> {
  const { app = ownApp, message, frames_json } = row;
  const first: Known[] = [];
  const latest: Known[] = [];
  for (const place of listPlaces(app, digest)) {
    first.push(...(await readKnown(trx, row, place, 'asc', rowsCompared)));
    latest.push(...(await readKnown(trx, row, place, 'desc', rowsCompared)));
  }
  const isMeant = (known: Known) => !isMaskedMessage(known.message);
  // A masked one says nothing, and belongs to what has its digest: as long as it leaves room for that.
  if (isMaskedMessage(message)) {
    const before = latest.toSorted((one, other) => other.time - one.time).slice(0, maskedKept);
    return before.length === maskedKept && !before.some(isMeant);
  }
  const reported = [...first, ...latest].filter((known) => known.printed === 0 && isMeant(known));
  if (reported.length > 0) return !reported.some((known) => isSame(known, row));
  if (!saysOne(digest)) return false;
  // The text of a block that could not be read gives way: it has the digest in it, and the message.
  const isPart = (known: Known) =>
    known.isWhole === 0 && frames_json !== '[]' && known.message.includes(digest) && mayBeOfOne(known.message, message);
  const [owner] = [...first, ...latest]
    .filter((known) => isMeant(known) && !isPart(known))
    .toSorted((one, other) => one.time - other.time);
  return owner !== undefined && !isSame(owner, row);
}

/**
 * Whether what an SDK told without a digest may have one that was printed with it. It may not where the app has it for errors that say
 * something else: who gets lines into its output could write the digest of any of them.
 */
export async function mayTakeDigest(
  trx: Transaction<Tables>,
  { app = ownApp, message }: Pick<NewEvent, 'app' | 'message'>,
  digest: string,
): Promise<boolean> {
  const rows: { readonly message: string }[] = [];
  for (const { where, order } of listPlaces(app, digest)) {
    const some = selectEvents(trx, 'server').select('message').where(where).where('phase', '!=', 'answer');
    rows.push(...(await some.orderBy(order).limit(rowsCompared).execute()));
  }
  const meant = rows.filter((row) => !isMaskedMessage(row.message));
  return meant.length === 0 || meant.some((row) => row.message === message);
}

/** Which causes, and where each was thrown. What they say has values. */
function listCausePlaces(json: string): string {
  const places = readCauses(json).map(({ name, stack }) => [name, ...(stack.match(/^ +at .*$/gm) ?? [])]);
  return JSON.stringify(places);
}

/**
 * Errors with the same digest, the same stack, to the column, and the same causes are of one place of one build. Next's digest is not made
 * of causes. Whether the frames could be mapped may differ: a map came late, or was taken away.
 * @returns what the error is grouped by that was there before; undefined where its own group is there
 */
export async function findSamePlace(
  trx: Transaction<Tables>,
  { app = ownApp, fingerprint, digest, message, stack = '', causes_json = '[]' }: NewEvent,
): Promise<string | undefined> {
  if (!digest || stack === '' || !saysOne(digest)) return undefined;
  const known = trx.selectFrom('fault_hash').select('hash').where('app', '=', app).where('hash', '=', fingerprint);
  if (await known.executeTakeFirst()) return undefined;
  const latest = selectEvents(trx, 'server')
    .select(['fingerprint', 'message'])
    .select(sql<string | null>`case when stack = ${stack} then causes_json end`.as('causes'))
    .where(isUnder(digest, app))
    .orderBy('time', 'desc')
    .limit(rowsCompared);
  const own = listCausePlaces(causes_json);
  const isSamePlace = (causes: string | null) => causes !== null && listCausePlaces(causes) === own;
  return (await latest.execute()).find((one) => one.message === message && isSamePlace(one.causes))?.fingerprint;
}

/** What was printed, with the digest that it may have. */
export async function withOwnDigest(trx: Transaction<Tables>, row: NewEvent): Promise<NewEvent> {
  const printed = { ...row, printed: 1 };
  const { digest } = row;
  if (!digest || !(await isOfAnother(trx, digest, printed))) return printed;
  return { ...printed, digest: null, printed_digest: toPrintedDigest(digest) };
}

/**
 * What the app reports takes its digest back from what was printed with it before and says something else. An answer that nobody
 * explained (unexplained/) is no report.
 */
export async function takeBackDigest(trx: Transaction<Tables>, row: NewEvent): Promise<void> {
  const { app = ownApp, digest, message, phase } = row;
  if (!digest || phase === 'answer' || !saysOne(digest) || isMaskedMessage(message)) return;
  const isOther = (known: Known) => known.printed === 1 && !isSame(known, row) && !isMaskedMessage(known.message);
  for (const place of listPlaces(app, digest)) {
    if (!(await readKnown(trx, row, place, 'asc', rowsLookedAt)).some(isOther)) continue;
    const others = (await readKnown(trx, row, place, 'asc', rowsTakenBack)).filter(isOther);
    await trx
      .updateTable('event')
      .set({ digest: null, printed_digest: toPrintedDigest(digest) })
      .where('side', '=', 'server')
      .where(
        'id',
        'in',
        others.map(({ id }) => id),
      )
      .execute();
  }
}

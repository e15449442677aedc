import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { requireReader } from '#src/access/require-reader.ts';
import { dialectOf } from '#src/store/dialect.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { type DigestHolder, isAnyTrusted } from './digest-holder.ts';
import { findSpelled, type Holder, listAppsWith, listSuffixed } from './look-up-holders.ts';
import { readNearCodes } from './near-digest.ts';
import {
  type DigestPlace,
  digestPlaces,
  knownDigests,
  listNearDigests,
  rowsCompared,
  shortestPlain,
  toPlain,
} from './compare-digests.ts';

/**
 * Spellings for when no app knows one of `codes`: of each those that differ in capitals and marks, and at last numbers without Next's
 * suffix, which another of its versions does not have.
 */
async function listSpelled(db: Kysely<Tables>, codes: readonly string[]): Promise<(readonly string[])[]> {
  const bare = codes.flatMap((code) => /^(\d+)@[A-Z]\d+$/i.exec(code)?.[1] ?? []);
  const groups: (readonly string[])[] = [];
  for (const code of codes) {
    const spelled = [toPlain(code).length < shortestPlain ? code.toUpperCase() : toPlain(code)];
    for (const place of digestPlaces) spelled.push(...(await findSpelled(db, place, code)));
    groups.push([...new Set(spelled)]);
  }
  return [...groups, bare];
}

/**
 * The apps that know the first of these codes that any of them knows, as it is stored or else in another spelling. Those whose servers
 * told it come first, the latest of them before the others: a stranger can name any digest, for any app that takes browsers' errors.
 */
export async function findDigest(codes: readonly string[]): Promise<DigestHolder[]> {
  requireReader();
  const { db } = await openStore();
  const exact = await findFirst(
    db,
    codes.map((code) => [code]),
  );
  if (isAnyTrusted(exact)) return exact;
  const spelled = await findFirst(db, await listSpelled(db, codes));
  return exact.length === 0 || isAnyTrusted(spelled) ? spelled : exact;
}

/** Those of the first group that any app knows. What is in a group is one code: each app has its own spelling of it. */
async function findFirst(db: Kysely<Tables>, groups: readonly (readonly string[])[]): Promise<DigestHolder[]> {
  let untrusted: DigestHolder[] = [];
  for (const codes of groups) {
    const holders = await findHolders(db, codes);
    // Of another spelling than theirs, what a stranger told is no choice beside what servers told.
    const told = new Set(holders.flatMap(({ digest, isTrusted }) => (isTrusted ? [digest] : [])));
    if (told.size > 0) return holders.filter(({ digest }) => told.has(digest));
    if (untrusted.length === 0) untrusted = holders;
  }
  return untrusted;
}

/** Next shows `2338734591@E394`; a person reads out the number. */
async function listMeant(db: Kysely<Tables>, place: DigestPlace, code: string): Promise<readonly string[]> {
  return /^\d+$/.test(code) ? [code, ...(await listSuffixed(db, place, code))] : [code];
}

async function findHolders(db: Kysely<Tables>, codes: readonly string[]): Promise<DigestHolder[]> {
  const byApp = new Map<string, DigestHolder>();
  for (const place of digestPlaces) {
    const holders: Holder[] = [];
    for (const code of codes) {
      for (const digest of await listMeant(db, place, code)) holders.push(...(await listAppsWith(db, place, digest)));
    }
    const [isTrusted, isPast] = [place !== 'untrusted', place === 'past'];
    for (const holder of holders.toSorted((a, b) => b.lastTime - a.lastTime)) {
      if (!byApp.has(holder.app)) byApp.set(holder.app, { ...holder, isTrusted, isPast });
    }
  }
  return Array.from(byApp.values()).toSorted(
    (a, b) => Number(b.isTrusted) - Number(a.isTrusted) || b.lastTime - a.lastTime,
  );
}

/** Returns those of `digests` that are known of this app. */
export async function knowDigests(app: string, digests: readonly string[]): Promise<ReadonlySet<string>> {
  requireOperator();
  if (digests.length === 0) return new Set();
  const { db } = await openStore();
  const found = new Set<string>();
  for (const place of digestPlaces) {
    const { rows } = await sql<{ digest: string }>`select each.value as digest from ${dialectOf(db).tableOf(digests)}
      where exists (select 1 from ${knownDigests(db, place)} where known.digest = each.value and known.app = ${app})`.execute(
      db,
    );
    for (const { digest } of rows) found.add(digest);
  }
  return found;
}

export type NearDigest = {
  readonly digest: string;
  readonly app: string;
  /** Of the latest. */
  readonly time: number;
  readonly path: string;
};

/** Somebody who reads a code aloud has it on the screen, or wrote it down this week. */
const nearWithinMs = 7 * 24 * 3600 * 1000;
/** More is a guess, not help. */
const nearShown = 5;

/** @param apps of which it may be: another app's must not hide that of one that may be read */
async function describeNear(
  db: Kysely<Tables>,
  digest: string,
  since: number,
  apps: readonly string[] | undefined,
): Promise<NearDigest | undefined> {
  for (const place of digestPlaces) {
    const holders = await listAppsWith(db, place, digest);
    const may = holders.filter(({ app, lastTime }) => lastTime >= since && (!apps || apps.includes(app)));
    const [latest] = may.toSorted((a, b) => b.lastTime - a.lastTime);
    if (!latest) continue;
    const row = await db
      .selectFrom(knownDigests(db, place))
      .select('path')
      .where('digest', '=', digest)
      .where('app', '=', latest.app)
      .orderBy('time', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row) return { digest, app: latest.app, time: latest.lastTime, path: row.path };
  }
  return undefined;
}

/**
 * Digests of the last days that are one slip away from what was typed, the latest first.
 * @param apps of which they may be; undefined: of all
 */
export async function findNearDigests(
  typed: string,
  now: number = Date.now(),
  apps?: readonly string[],
): Promise<NearDigest[]> {
  requireReader();
  const { db } = await openStore();
  const found = new Set<string>();
  for (const code of readNearCodes(typed)) {
    for (const digest of await listNearDigests(db, code)) found.add(digest);
  }
  const near = await Promise.all(
    Array.from(found)
      .slice(0, rowsCompared / 4)
      .map((digest) => describeNear(db, digest, now - nearWithinMs, apps)),
  );
  return near
    .filter((one) => one !== undefined)
    .toSorted((a, b) => b.time - a.time)
    .slice(0, nearShown);
}

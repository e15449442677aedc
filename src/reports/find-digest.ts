import 'server-only';

import { type Kysely, sql } from 'kysely';

import { requireOperator } from '#src/operator/require-operator.ts';
import { requireReader } from '#src/operator/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { type DigestHolder, isToldByAny } from './digest-holder.ts';
import { isOfApp } from './select-errors.ts';
import { isOneSlip, listMisheard, readNearCodes } from './near-digest.ts';

function selectHolders(db: Kysely<Tables>, table: 'error' | 'report', code: string) {
  const isPlainNumber = /^\d+$/.test(code);
  return db
    .selectFrom(table)
    .select(['app', 'digest'])
    .select(({ fn }) => fn.max<number>('time').as('lastTime'))
    .where(({ eb, and, or }) =>
      or([
        eb('digest', '=', code),
        // Next shows `2338734591@E394`; a person reads out the number.
        ...(isPlainNumber ? [and([eb('digest', '>', `${code}@`), eb('digest', '<', `${code}A`)])] : []),
      ]),
    )
    .groupBy(['app', 'digest']);
}

/** What every spelling of a digest shares: its letters and digits. */
const plainDigest = sql<string>`upper(replace(replace(replace(replace(digest, '-', ''), '@', ''), '_', ''), '.', ''))`;
/** Fewer characters without their marks are too easily another digest's. */
const shortestSpelled = 6;
/** One is usual. */
const spelledRead = 5;

/**
 * Digests that are this code but for capitals and marks. They begin as it does: so a part of an index is read, some 10 ms of
 * 100 000 rows, and not all of it.
 */
async function findSpelled(db: Kysely<Tables>, table: 'error' | 'report', code: string): Promise<string[]> {
  const plain = code.toUpperCase().replace(/[-@_.]/g, '');
  if (plain.length < shortestSpelled) return [];
  const first = plain.charAt(0);
  const rows = await db
    .selectFrom(table)
    .select('digest')
    .distinct()
    .where(({ or, between }) => or([first, first.toLowerCase()].map((begin) => between('digest', begin, `${begin}~`))))
    .where(plainDigest, '=', plain)
    .limit(spelledRead)
    .execute();
  return rows.flatMap(({ digest }) => digest ?? []);
}

/**
 * Spellings for when no app knows one of `codes`: those that differ in capitals and marks, then numbers without Next's suffix,
 * which another of its versions does not have.
 */
async function listSpelled(db: Kysely<Tables>, codes: readonly string[]): Promise<string[]> {
  const bare = codes.flatMap((code) => /^(\d+)@[A-Z]\d+$/i.exec(code)?.[1] ?? []);
  const spelled: string[] = [];
  for (const code of codes) {
    for (const table of ['error', 'report'] as const) spelled.push(...(await findSpelled(db, table, code)));
  }
  return [...new Set([...spelled, ...bare])];
}

/**
 * The apps that know the first of these codes that any of them knows, as it is stored or else in another spelling. Those whose servers
 * told it come first, the latest of them before the others: a stranger can claim any digest, for any app that takes browsers' reports.
 */
export async function findDigest(codes: readonly string[]): Promise<DigestHolder[]> {
  requireReader();
  const { db } = await openStore();
  const exact = await findExact(db, codes);
  if (isToldByAny(exact)) return exact;
  const spelled = await findExact(db, await listSpelled(db, codes));
  return exact.length === 0 || isToldByAny(spelled) ? spelled : exact;
}

async function findExact(db: Kysely<Tables>, codes: readonly string[]): Promise<DigestHolder[]> {
  let claimed: DigestHolder[] = [];
  for (const code of codes) {
    const holders = await findHolders(db, code);
    if (isToldByAny(holders)) return holders;
    if (claimed.length === 0) claimed = holders;
  }
  return claimed;
}

async function findHolders(db: Kysely<Tables>, code: string): Promise<DigestHolder[]> {
  const byApp = new Map<string, DigestHolder>();
  for (const table of ['error', 'report'] as const) {
    const rows = await selectHolders(db, table, code).execute();
    for (const { app, digest, lastTime } of rows.toSorted((a, b) => b.lastTime - a.lastTime)) {
      if (digest !== null && !byApp.has(app)) byApp.set(app, { app, digest, lastTime, isTold: table === 'error' });
    }
  }
  return Array.from(byApp.values()).toSorted((a, b) => Number(b.isTold) - Number(a.isTold) || b.lastTime - a.lastTime);
}

/** Those of `digests` that an error or a browser's report of this app has. */
export async function knowDigests(app: string, digests: readonly string[]): Promise<ReadonlySet<string>> {
  requireOperator();
  if (digests.length === 0) return new Set();
  const { db } = await openStore();
  const known = ['error', 'report'] as const;
  const rows = await Promise.all(
    known.map((table) =>
      db.selectFrom(table).select('digest').distinct().where(isOfApp(app)).where('digest', 'in', digests).execute(),
    ),
  );
  return new Set(rows.flat().flatMap(({ digest }) => digest ?? []));
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
const rowsCompared = 200;

/**
 * One slip touches two neighbouring characters at most. So the first or the last part of what was meant is right, whatever
 * happened in the other. SQLite compares the parts in an index that has nothing but digests and times: some
 * 10 ms for 40 000 rows.
 */
async function listLike(db: Kysely<Tables>, table: 'error' | 'report', code: string, since: number): Promise<string[]> {
  const part = Math.max(2, Math.floor((code.length - 1) / 2));
  const rows = await db
    .selectFrom(table)
    .select('digest')
    .distinct()
    .where('time', '>=', since)
    .where(({ eb, or }) =>
      or([
        eb('digest', 'in', listMisheard(code)),
        eb(sql`substr(digest, 1, ${sql.lit(part)})`, '=', code.slice(0, part)),
        eb(sql`substr(digest, length(digest) - ${sql.lit(part - 1)})`, '=', code.slice(-part)),
        // Next's suffix, which nobody reads out.
        ...(/^\d+$/.test(code) ? [eb('digest', 'like', `%${code.slice(-part)}@%`)] : []),
      ]),
    )
    .limit(rowsCompared)
    .execute();
  return rows.flatMap(({ digest }) => (digest !== null && isNear(code, digest) ? digest : []));
}

function isNear(code: string, digest: string): boolean {
  return isOneSlip(code, digest) || isOneSlip(code, digest.replace(/@.*$/, ''));
}

async function describeNear(
  db: Kysely<Tables>,
  digest: string,
  apps: readonly string[] | undefined,
): Promise<NearDigest | undefined> {
  for (const table of ['error', 'report'] as const) {
    const all = db.selectFrom(table).select(['app', 'time', 'path']).where('digest', '=', digest);
    // Several apps may have it: another app's must not hide that of one that may be read.
    const latest = apps ? all.where('app', 'in', apps) : all;
    const row = await latest.orderBy('time', 'desc').limit(1).executeTakeFirst();
    if (row) return { digest, ...row };
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
    for (const table of ['error', 'report'] as const) {
      for (const digest of await listLike(db, table, code, now - nearWithinMs)) found.add(digest);
    }
  }
  const near = await Promise.all(
    Array.from(found)
      .slice(0, rowsCompared / 4)
      .map((digest) => describeNear(db, digest, apps)),
  );
  return near
    .filter((one) => one !== undefined)
    .toSorted((a, b) => b.time - a.time)
    .slice(0, nearShown);
}

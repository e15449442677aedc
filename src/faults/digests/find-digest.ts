import 'server-only';

import type { Kysely } from 'kysely';

import { requireOperator } from '#src/access/require-operator.ts';
import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { type DigestHolder, isAnyTrusted } from './digest-holder.ts';
import { isOfApp } from '../kept/select-events.ts';
import { readNearCodes } from './near-digest.ts';
import {
  type DigestPlace,
  digestPlaces,
  findSpelled,
  knownDigests,
  listNearDigests,
  rowsCompared,
  shortestPlain,
  toPlain,
} from './compare-digests.ts';

function selectHolders(db: Kysely<Tables>, place: DigestPlace, code: string) {
  const isPlainNumber = /^\d+$/.test(code);
  return db
    .selectFrom(knownDigests(db, place))
    .select(['app', 'digest'])
    .select(({ fn }) => fn.max('time').as('lastTime'))
    .where(({ eb, and, or }) =>
      or([
        eb('digest', '=', code),
        // Next shows `2338734591@E394`; a person reads out the number.
        ...(isPlainNumber ? [and([eb('digest', '>', `${code}@`), eb('digest', '<', `${code}A`)])] : []),
      ]),
    )
    .groupBy(['app', 'digest']);
}

/**
 * Spellings for when no app knows one of `codes`: those that differ in capitals and marks, then numbers without Next's suffix,
 * which another of its versions does not have.
 */
async function listSpelled(db: Kysely<Tables>, codes: readonly string[]): Promise<string[]> {
  const bare = codes.flatMap((code) => /^(\d+)@[A-Z]\d+$/i.exec(code)?.[1] ?? []);
  const spelled: string[] = [];
  for (const code of codes) {
    spelled.push(toPlain(code).length < shortestPlain ? code.toUpperCase() : toPlain(code));
    for (const place of digestPlaces) spelled.push(...(await findSpelled(db, place, code)));
  }
  return [...new Set([...spelled, ...bare])];
}

/**
 * The apps that know the first of these codes that any of them knows, as it is stored or else in another spelling. Those whose servers
 * told it come first, the latest of them before the others: a stranger can name any digest, for any app that takes browsers' errors.
 */
export async function findDigest(codes: readonly string[]): Promise<DigestHolder[]> {
  requireReader();
  const { db } = await openStore();
  const exact = await findExact(db, codes);
  if (isAnyTrusted(exact)) return exact;
  const spelled = await findExact(db, await listSpelled(db, codes));
  return exact.length === 0 || isAnyTrusted(spelled) ? spelled : exact;
}

async function findExact(db: Kysely<Tables>, codes: readonly string[]): Promise<DigestHolder[]> {
  let untrusted: DigestHolder[] = [];
  for (const code of codes) {
    const holders = await findHolders(db, code);
    if (isAnyTrusted(holders)) return holders;
    if (untrusted.length === 0) untrusted = holders;
  }
  return untrusted;
}

async function findHolders(db: Kysely<Tables>, code: string): Promise<DigestHolder[]> {
  const byApp = new Map<string, DigestHolder>();
  for (const place of digestPlaces) {
    const rows = await selectHolders(db, place, code).execute();
    const [isTrusted, isPast] = [place !== 'untrusted', place === 'past'];
    for (const { app, digest, lastTime } of rows.toSorted((a, b) => b.lastTime - a.lastTime)) {
      if (digest !== null && !byApp.has(app)) byApp.set(app, { app, digest, lastTime, isTrusted, isPast });
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
  const rows = await Promise.all(
    digestPlaces.map((place) =>
      db
        .selectFrom(knownDigests(db, place))
        .select('digest')
        .distinct()
        .where(isOfApp(app))
        .where('digest', 'in', digests)
        .execute(),
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

async function describeNear(
  db: Kysely<Tables>,
  digest: string,
  apps: readonly string[] | undefined,
): Promise<NearDigest | undefined> {
  for (const place of digestPlaces) {
    const all = db.selectFrom(knownDigests(db, place)).select(['app', 'time', 'path']).where('digest', '=', digest);
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
    for (const digest of await listNearDigests(db, code, now - nearWithinMs)) found.add(digest);
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

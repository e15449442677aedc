import { randomBytes, timingSafeEqual } from 'node:crypto';

import { type Selectable, sql, type Transaction } from 'kysely';

import { isShared } from '#src/store/lease.ts';
import { inTime } from '#src/store/in-time.ts';
import { isKnownAway } from '#src/store/known-away.ts';
import { openStore, readVersionOfTurn, type Store } from '#src/store/open-store.ts';
import { isNotAsked, NoAnswer } from '#src/store/postgres/postgres-errors.ts';
import type { AppTable, Tables } from '#src/store/schema.ts';

import { isAppId, nameToId } from './app-id.ts';
import { isBeingDeleted } from './deletions.ts';

/**
 * The apps that are recorded here. There are a few, and each request of a sender asks for one: they are kept in memory until
 * the database says that something was committed by another connection, or one of these functions changed them.
 */
export type App = {
  readonly id: string;
  readonly name: string;
  readonly publicKey: string;
  readonly secretKey: string;
  /** The project's number in a DSN. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** As the setting `RECORD` is written; undefined: the default. */
  readonly record: string | undefined;
  /** Until when everything is recorded, whatever `record` says; 0: it was not asked for. Milliseconds since 1970. */
  readonly allUntil: number;
};

/** 128 random bits: nobody guesses one. */
const keyBytes = 16;
/** Each has a line in menus and a row in every list of apps. Nobody was seen with more on one machine. */
export const appsLimit = 100;
/** A name is one line of a menu. */
const longestName = 80;

/** Where several servers share the database, an app that is not known here may have been added on another one a moment ago. */
const askAgainMs = 200;
let askedAgainAt = Number.NEGATIVE_INFINITY;

let known: { readonly store: Store; readonly version: number; readonly apps: readonly App[] } | undefined;

/** What was read last, for while the database does not answer. */
let lastKnown: typeof known;
/** Senders wait for this, each with a place. The read takes a millisecond. */
const lateMs = 500;

/** After another module has changed the table. */
export function forgetApps(): void {
  known = undefined;
}

function toApp(row: Selectable<AppTable> & { readonly until: number | null }): App {
  return {
    id: row.id,
    name: row.name,
    publicKey: row.public_key,
    secretKey: row.secret_key,
    number: row.number ?? 0,
    created: row.created,
    record: row.record ?? undefined,
    allUntil: row.until ?? 0,
  };
}

function mintKey(): string {
  return randomBytes(keyBytes).toString('hex');
}

/** Lists the apps by name. */
export async function readApps(store?: Store): Promise<readonly App[]> {
  const from = store ?? (await openStore());
  const version = readVersionOfTurn(from);
  if (known?.store === from && known.version === version) return known.apps;
  try {
    const isThere = lastKnown?.store === from;
    if (isThere && isKnownAway(from)) throw new NoAnswer(0);
    const rows = await (isThere ? inTime(selectApps(from), lateMs) : selectApps(from));
    known = { store: from, version, apps: rows.map(toApp) };
    lastKnown = known;
    return known.apps;
  } catch (error) {
    // Senders are known by the keys that they had: what they send can be kept on disk meanwhile.
    if (lastKnown?.store === from && isNotAsked(error)) return lastKnown.apps;
    throw error;
  }
}

function selectApps({ db }: Store) {
  return db
    .selectFrom('app')
    .leftJoin('record_all', 'record_all.app', 'app.id')
    .selectAll('app')
    .select('record_all.until')
    .orderBy('app.name')
    .orderBy('app.id')
    .execute();
}

export async function findApp(id: string, store?: Store): Promise<App | undefined> {
  const from = store ?? (await openStore());
  const found = (await readApps(from)).find((app) => app.id === id);
  // Strangers may ask for any name: so not each of them is a question for the database.
  if (found || !isShared(from) || performance.now() - askedAgainAt < askAgainMs) return found;
  askedAgainAt = performance.now();
  forgetApps();
  return (await readApps(from)).find((app) => app.id === id);
}

/** Compares in constant time. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @param project a DSN's: the app's number, or its id */
export async function findAppOfProject(project: string): Promise<App | undefined> {
  const apps = await readApps();
  return apps.find(({ number }) => String(number) === project) ?? apps.find(({ id }) => id === project);
}

/** The app of this id when `key` is its secret one, compared in constant time. */
export async function findAppWithSecret(id: string, key: string): Promise<App | undefined> {
  const app = await findApp(id);
  return app && isSame(app.secretKey, key) ? app : undefined;
}

/** The app whose secret key this is. Each is compared, in constant time: there are a hundred at most. */
export async function findAppOfSecret(key: string): Promise<App | undefined> {
  return (await readApps()).filter((app) => isSame(app.secretKey, key))[0];
}

export type AddResult =
  | { readonly type: 'added'; readonly app: App }
  | { readonly type: 'refused'; readonly reason: 'name' | 'taken' | 'too-many' | 'being-deleted' };

/**
 * Says whether anything of a deleted app is still there, here or in another process: a new app of that name would lose its data, or get the
 * old.
 */
async function isAnythingLeft(trx: Transaction<Tables>, app: string): Promise<boolean> {
  for (const table of ['event', 'fault', 'map_bundle'] as const) {
    if (await trx.selectFrom(table).select('app').where('app', '=', app).limit(1).executeTakeFirst()) return true;
  }
  return false;
}

/** Adds the app in one transaction, because another process may be adding one. @returns why it was not inserted */
async function insertApp(
  store: Store,
  trx: Transaction<Tables>,
  row: Omit<AppTable, 'number'>,
): Promise<'taken' | 'too-many' | 'being-deleted' | undefined> {
  const apps = await trx.selectFrom('app').select('id').execute();
  if (apps.some((app) => app.id === row.id)) return 'taken';
  if ((await isBeingDeleted(row.id, store, trx)) || (await isAnythingLeft(trx, row.id))) return 'being-deleted';
  if (apps.length >= appsLimit) return 'too-many';
  await trx
    .insertInto('app')
    // A number is never used twice while its app is here; 1 is this server's own.
    .values({ ...row, number: sql<number>`(select coalesce(max(number), 1) + 1 from app)` })
    .execute();
  return undefined;
}

/** Adds an app. Its id follows from its name, unless `id` says one. */
export async function addApp(name: string, id: string | undefined = nameToId(name), store?: Store): Promise<AddResult> {
  const shown = name.trim();
  if (shown === '' || shown.length > longestName || id === undefined || !isAppId(id)) {
    return { type: 'refused', reason: 'name' };
  }
  const to = store ?? (await openStore());
  const row = {
    id,
    name: shown,
    public_key: mintKey(),
    secret_key: mintKey(),
    created: Date.now(),
    record: null,
  };
  const refused = await to.transact((trx) => insertApp(to, trx, row));
  forgetApps();
  if (refused) return { type: 'refused', reason: refused };
  const app = await findApp(id, to);
  if (!app) throw new Error(`The app ${id} was added and is not there`);
  return { type: 'added', app };
}

/** The app of this id; it is added, with its id as its name, when it is not there. @throws when it cannot be added */
export async function ensureApp(id: string, store?: Store): Promise<App> {
  const found = await findApp(id, store);
  if (found) return found;
  const result = await addApp(id, id, store);
  if (result.type === 'added') return result.app;
  // Another process, or another call, was first.
  const first = result.reason === 'taken' ? await findApp(id, store) : undefined;
  if (first) return first;
  if (result.reason === 'being-deleted') throw new Error(`The app ${id} is being deleted; try again in a moment`);
  if (result.reason === 'too-many') throw new Error(`There are ${appsLimit} apps already; remove one first`);
  throw new Error(`${JSON.stringify(id)} cannot be an app's id: use lower-case letters, digits and single hyphens`);
}

async function change(id: string, values: Partial<AppTable>): Promise<App | undefined> {
  const { db } = await openStore();
  await db.updateTable('app').set(values).where('id', '=', id).execute();
  known = undefined;
  return findApp(id);
}

/** Returns undefined when there is no such app, or this is no name. */
export async function renameApp(id: string, name: string): Promise<App | undefined> {
  const shown = name.trim();
  return shown === '' || shown.length > longestName ? undefined : change(id, { name: shown });
}

/** The old keys are worth nothing from now on. */
export async function renewKeys(id: string): Promise<App | undefined> {
  return change(id, { public_key: mintKey(), secret_key: mintKey() });
}

/** @param record as the setting `RECORD` is written; undefined: the default */
export async function setRecord(id: string, record: string | undefined): Promise<App | undefined> {
  return change(id, { record: record ?? null });
}

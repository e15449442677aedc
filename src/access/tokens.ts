import 'server-only';

import { randomBytes, timingSafeEqual } from 'node:crypto';

import type { Selectable } from 'kysely';

import type { ReaderAccess } from '#src/server/http/request-context.ts';
import { openStore, type Store } from '#src/store/open-store.ts';
import type { ApiTokenTable } from '#src/store/schema.ts';

import { systemClocks, type WallClock } from './clock.ts';
import { hashSecret, isSecret, mintSecret } from './secret.ts';

/**
 * Tokens. One lets a program read what the operator's pages show, of all apps or of some, and change nothing (`flr_`), or upload source
 * maps of one app and nothing else (`flu_`).
 *
 *     flr_<eight characters>_<secret>
 *
 * The prefix is for those who search code for secrets, and says what the token is for before anything is looked up. The eight characters
 * are the token's name in the database and in lists. The database has a hash of the whole, so nobody who reads it can use a token. A token
 * is read at every request: one that is revoked is worth nothing at the next.
 */
type Allows = Selectable<ApiTokenTable>['allows'];

const prefixes = { read: 'flr_', upload: 'flu_' } as const satisfies Record<Allows, string>;
const tokenPattern = /^(fl[ru]_)([0-9a-hjkmnp-tv-z]{8})_([\w-]{43})$/;
const idPattern = /^[0-9a-hjkmnp-tv-z]{8}$/;
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Each is a row of a page. A program with many users has one token, not one for each. */
export const tokensLimit = 100;
/** One line of a table. */
export const longestTokenName = 80;
/** The precision of `last_used`: otherwise every request would write. */
const usedEveryMs = 60_000;
/** The longest that a token with an end may live, ten years: beyond it, a mistyped number was meant. */
export const longestDays = 3_650;
const dayMs = 24 * 60 * 60_000;
/** Compared with where there is no such token, so that this takes as long. */
const noHash = hashSecret('');

export type ApiToken = {
  readonly id: string;
  readonly allows: Allows;
  readonly name: string;
  /** Ids; undefined: all apps. */
  readonly apps: readonly string[] | undefined;
  /** Milliseconds since 1970, as the other times. */
  readonly created: number;
  readonly expires: number | undefined;
  readonly lastUsed: number | undefined;
};

export type NewToken = {
  readonly name: string;
  /** `upload` is for one app. */
  readonly allows: Allows;
  readonly apps: readonly string[] | undefined;
  /** Undefined: it has no end. */
  readonly days: number | undefined;
  /** Of a form: the eight characters that its token will have (`mintTokenId`). So a form that is sent again makes no second one. */
  readonly id?: string | undefined;
};

export type TokenProblem = 'name' | 'days' | 'apps' | 'too-many' | 'made-before';

export type MadeToken =
  | { readonly type: 'made'; readonly token: ApiToken; /** Shown once. */ readonly secret: string }
  | { readonly type: 'refused'; readonly problem: TokenProblem };

export function mintTokenId(): string {
  return Array.from(randomBytes(8), (byte) => alphabet.charAt(byte & 31)).join('');
}

function readApps(json: string | null): readonly string[] | undefined {
  if (json === null) return undefined;
  const apps: unknown = JSON.parse(json);
  // What cannot be read opens nothing.
  return Array.isArray(apps) ? apps.filter((app) => typeof app === 'string') : [];
}

function toToken(row: Selectable<ApiTokenTable>): ApiToken {
  return {
    id: row.id,
    allows: row.allows,
    name: row.name,
    apps: readApps(row.apps_json),
    created: row.created,
    expires: row.expires ?? undefined,
    lastUsed: row.last_used ?? undefined,
  };
}

/** How a token is named to people: its beginning, without its secret. */
export function showToken({ id, allows }: Pick<ApiToken, 'id' | 'allows'>): string {
  return `${prefixes[allows]}${id}_…`;
}

function findFlaw({ name, apps, days, allows }: NewToken): TokenProblem | undefined {
  if (name.trim() === '' || name.trim().length > longestTokenName) return 'name';
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= longestDays)) return 'days';
  if (allows === 'upload') return apps?.length === 1 ? undefined : 'apps';
  return apps?.length === 0 ? 'apps' : undefined;
}

/** @param asked `apps` must be there: the caller knows them */
export async function makeToken(store: Store, asked: NewToken, now: WallClock = systemClocks.wall): Promise<MadeToken> {
  const problem = findFlaw(asked);
  if (problem !== undefined) return { type: 'refused', problem };
  const { name, apps, days, allows } = asked;
  const id = asked.id !== undefined && idPattern.test(asked.id) ? asked.id : mintTokenId();
  const secret = `${prefixes[allows]}${id}_${mintSecret()}`;
  const created = now();
  const row = {
    id,
    name: name.trim(),
    hash: hashSecret(secret),
    allows,
    apps_json: apps === undefined ? null : JSON.stringify(apps),
    created,
    expires: days === undefined ? null : created + days * dayMs,
    last_used: null,
  };
  const flaw = await store.transact(async (trx): Promise<TokenProblem | undefined> => {
    const same = await trx.selectFrom('api_token').select('id').where('id', '=', id).executeTakeFirst();
    if (same) return 'made-before';
    const { count } = await trx
      .selectFrom('api_token')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count >= tokensLimit) return 'too-many';
    await trx.insertInto('api_token').values(row).execute();
    return undefined;
  });
  return flaw === undefined ? { type: 'made', token: toToken(row), secret } : { type: 'refused', problem: flaw };
}

/** Newest first, also those that are over: somebody may look for why a program is refused. */
export async function readTokens({ db }: Store): Promise<readonly ApiToken[]> {
  const rows = await db.selectFrom('api_token').selectAll().orderBy('created', 'desc').orderBy('id').execute();
  return rows.map(toToken);
}

/** @returns whether there was such a token */
export async function revokeToken(store: Store, id: string): Promise<boolean> {
  return store.transact(async (trx) => {
    const { numDeletedRows } = await trx.deleteFrom('api_token').where('id', '=', id).executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  });
}

/** @returns how many there were */
export async function revokeAllTokens(store: Store): Promise<number> {
  return store.transact(async (trx) => {
    const { numDeletedRows } = await trx.deleteFrom('api_token').executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
}

function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A disk that takes no write keeps nobody from reading. */
async function noteUse({ db }: Store, { id, last_used: last }: Selectable<ApiTokenTable>, time: number): Promise<void> {
  if (last !== null && last <= time && time - last < usedEveryMs) return;
  try {
    await db.updateTable('api_token').set({ last_used: time }).where('id', '=', id).execute();
  } catch {
    // The next use is noted.
  }
}

export type TokenAccess = ReaderAccess & { readonly token: string };

/** Returns undefined when it is none of these, is revoked or is over. Compares in constant time. */
async function findToken(
  text: string,
  allows: Allows,
  from: Store | undefined,
  now: WallClock,
): Promise<ApiToken | undefined> {
  const store = from ?? (await openStore());
  const [, prefix, id, secret] = tokenPattern.exec(text) ?? [];
  if (prefix !== prefixes[allows] || id === undefined || secret === undefined || !isSecret(secret)) return undefined;
  const row = await store.db.selectFrom('api_token').selectAll().where('id', '=', id).executeTakeFirst();
  const isSame = isSameHash(hashSecret(text), row?.hash ?? noHash);
  const time = now();
  if (!row || !isSame || row.allows !== allows || (row.expires !== null && row.expires <= time)) return undefined;
  await noteUse(store, row, time);
  return toToken(row);
}

/** What a token that came with a request opens; undefined when it lets nobody read. */
export async function findTokenAccess(
  text: string,
  from?: Store,
  now: WallClock = systemClocks.wall,
): Promise<TokenAccess | undefined> {
  const token = await findToken(text, 'read', from, now);
  return token && { kind: 'reader', apps: token.apps, token: token.id };
}

/** The id of the app whose source maps the token uploads. */
export async function findUploadApp(
  text: string,
  from?: Store,
  now: WallClock = systemClocks.wall,
): Promise<string | undefined> {
  return (await findToken(text, 'upload', from, now))?.apps?.[0];
}

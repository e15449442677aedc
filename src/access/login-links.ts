import 'server-only';

import type { Transaction } from 'kysely';

import { loginPath } from '#src/server/http/addresses.ts';
import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { systemClocks, type WallClock } from './clock.ts';
import { hashSecret, isSecret, mintSecret } from './secret.ts';

/**
 * A link that signs in the person who opens it, once. Making one needs access to the data folder, and this access
 * proves who the operator is. The secret stands behind the `#`, so no server, proxy or `Referer` sees it. Only a POST
 * uses it up, so a messenger's preview of the link does not.
 */
const lifetimeMs = 15 * 60_000;
/** The command line and the server are on one machine, but its clock may be set between the two. */
const clockToleranceMs = 60_000;
/** Kept this long to say that a link was used or is too old, instead of that there is no such link. */
const keptMs = 24 * 60 * 60_000;

export type LinkProblem = 'link-unknown' | 'link-used' | 'link-expired';

/** @returns the link's secret, which is stored nowhere */
export async function createLoginLink(
  store: Store,
  now: WallClock = systemClocks.wall,
  lifetime: number = lifetimeMs,
): Promise<string> {
  const secret = mintSecret();
  const created = now();
  await store.transact(async (trx) => {
    await trx
      .deleteFrom('login_link')
      .where('created', '<', created - keptMs)
      .execute();
    await trx
      .insertInto('login_link')
      .values({ id: hashSecret(secret), created, expires: created + lifetime, used: null })
      .execute();
  });
  return secret;
}

/** `origin` is the address at which people reach the server: `publicOrigin` of the settings. */
export function toLoginUrl(origin: string, secret: string): string {
  return `${origin}${loginPath}#${secret}`;
}

/**
 * Uses the link up, in the transaction that opens the session. When two try at once, one gets it.
 * @returns undefined when the link was good
 */
export async function useLoginLink(
  trx: Transaction<Tables>,
  secret: string,
  now: WallClock = systemClocks.wall,
): Promise<LinkProblem | undefined> {
  if (!isSecret(secret)) return 'link-unknown';
  const id = hashSecret(secret);
  const time = now();
  const link = await trx.selectFrom('login_link').selectAll().where('id', '=', id).executeTakeFirst();
  if (!link) return 'link-unknown';
  if (link.used !== null) return 'link-used';
  // A link that was made in the future has an unknown age.
  if (link.expires <= time || link.created > time + clockToleranceMs) return 'link-expired';
  const { numUpdatedRows } = await trx
    .updateTable('login_link')
    .set({ used: time })
    .where('id', '=', id)
    .where('used', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n ? undefined : 'link-used';
}

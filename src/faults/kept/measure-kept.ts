import 'server-only';

import type { Kysely } from 'kysely';

import { ownApp } from '#src/store/own-app.ts';
import type { Tables } from '#src/store/schema.ts';

/** What a row takes besides its texts: ids, times, and its entries in the indexes. */
export const rowBytes = 1_024;

/** What one app has, in rows and in bytes. */
export type Held = { readonly app: string; readonly rows: number; readonly bytes: number };

/** Reads a few counters, not the rows. */
export async function readHeld(db: Kysely<Tables>, side: Tables['kept_app']['side']): Promise<readonly Held[]> {
  const held = await db
    .selectFrom('kept_app')
    .select(['of_app as app', 'rows', 'bytes'])
    .where('side', '=', side)
    .execute();
  return held.map(({ app, rows, bytes }) => ({ app, rows, bytes: bytes + rows * rowBytes }));
}

/** Of this server itself, and of all other apps together. */
export type Shares = { readonly own: Held; readonly others: readonly Held[] };

export function splitHeld(held: readonly Held[]): Shares {
  const own = held.find(({ app }) => app === ownApp) ?? { app: ownApp, rows: 0, bytes: 0 };
  return { own, others: held.filter(({ app }) => app !== ownApp) };
}

export function sumOf(held: readonly Held[], key: 'rows' | 'bytes'): number {
  return held.reduce((sum, one) => sum + one[key], 0);
}

/** The one that has most; undefined when there is none. */
export function findMost(held: readonly Held[], key: 'rows' | 'bytes'): Held | undefined {
  return held.toSorted((a, b) => b[key] - a[key])[0];
}

import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

import { findApp as find, readApps, type App } from '../apps.ts';
import { readRefusals as readCounted, writeRefusals, type CountedRefusal } from '../refusals.ts';

/** What pages read of the apps. An app has keys, so all of it is the operator's. */

export type AppName = {
  readonly id: string;
  readonly name: string;
  /** This server itself, with its lab. It has no keys and no set-up. */
  readonly isOwn: boolean;
};

const own: AppName = { id: ownApp, name: 'Flight Recorder', isOwn: true };

/** Our own first, then the others by name. */
export async function listAppNames(): Promise<readonly AppName[]> {
  requireOperator();
  const apps = await readApps();
  return [own, ...apps.map(({ id, name }) => ({ id, name, isOwn: false }))];
}

export async function findApp(id: string): Promise<App | undefined> {
  requireOperator();
  return find(id);
}

/** Of one app, the latest first. */
export async function readRefusals(id: string): Promise<readonly CountedRefusal[]> {
  requireOperator();
  return readCounted(id);
}

export type AppErrors = {
  readonly errors: number;
  /** Of the latest, in milliseconds since 1970. */
  readonly lastAt: number;
  /** Of the latest; empty where it does not say one. */
  readonly framework: string;
};

/** By app, and nothing for one without an error. */
export async function countAppErrors(): Promise<ReadonlyMap<string, AppErrors>> {
  requireOperator();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('error')
    .select(['app', 'framework', ({ fn }) => fn.countAll<number>().as('errors'), ({ fn }) => fn.max('time').as('last')])
    // SQLite takes the columns that are not grouped from the row that has the maximum.
    .groupBy('app')
    .execute();
  return new Map(rows.map(({ app, framework, errors, last }) => [app, { framework, errors, lastAt: last }]));
}

/** How many requests were refused, by app. */
export async function countAppRefusals(): Promise<ReadonlyMap<string, number>> {
  requireOperator();
  await writeRefusals();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('refusal')
    .select(['app', ({ fn }) => fn.sum<number>('count').as('refused')])
    .groupBy('app')
    .execute();
  return new Map(rows.map(({ app, refused }) => [app, refused]));
}

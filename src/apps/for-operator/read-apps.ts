import 'server-only';

import { requireOperator } from '#src/operator/require-operator.ts';
import { requireReader } from '#src/operator/require-reader.ts';
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
  requireReader();
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

/** By app, and nothing for one without an error. The counts are kept, and the latest is found in an index: no row is counted. */
export async function countAppErrors(): Promise<ReadonlyMap<string, AppErrors>> {
  requireReader();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('kept_app')
    .innerJoin('error', (join) =>
      join.on('error.id', '=', ({ selectFrom }) =>
        selectFrom('error as newest')
          .select('newest.id')
          .whereRef('newest.app', '=', 'kept_app.of_app')
          .orderBy('newest.time', 'desc')
          .limit(1),
      ),
    )
    .where('kept_app.side', '=', 'error')
    .select(['kept_app.of_app as app', 'kept_app.rows as errors', 'error.framework', 'error.time as last'])
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

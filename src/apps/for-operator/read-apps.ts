import 'server-only';

import { requireOperator } from '#src/access/require-operator.ts';
import { requireReader } from '#src/access/require-reader.ts';
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

/** Lists what was refused of one app, the latest first. */
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

/** Of those that were received last, the one that happened last. */
const latestCompared = 100;

/**
 * Gives each app's number of errors, and nothing for one without. The counts are kept, and the latest is found in an index: no row is
 * counted.
 */
export async function countAppErrors(): Promise<ReadonlyMap<string, AppErrors>> {
  requireReader();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('kept_app')
    .innerJoin('event', (join) =>
      join
        .on('event.side', '=', 'server')
        .on('event.id', '=', ({ selectFrom }) =>
          selectFrom('event as newest')
            .select('newest.id')
            .whereRef('newest.app', '=', 'kept_app.of_app')
            .where('newest.side', '=', 'server')
            .orderBy('newest.received_at', 'desc')
            .limit(1),
        ),
    )
    .where('kept_app.side', '=', 'event-server')
    .select(['kept_app.of_app as app', 'kept_app.rows as errors', 'event.framework'])
    .select(({ selectFrom }) =>
      // What is told late is not the latest: an answer that nobody explained is told some seconds after the others.
      selectFrom((eb) =>
        eb
          .selectFrom('event as late')
          .select('late.time')
          .whereRef('late.app', '=', 'kept_app.of_app')
          .where('late.side', '=', 'server')
          .orderBy('late.received_at', 'desc')
          .limit(latestCompared)
          .as('latest'),
      )
        .select(({ fn }) => fn.max('latest.time').as('time'))
        .as('last'),
    )
    .execute();
  return new Map(
    rows.map(({ app, framework, errors, last }) => [app, { framework, errors, lastAt: Number(last ?? 0) }]),
  );
}

export type AppUntrusted = {
  readonly untrusted: number;
  /** When the latest was received: its own time is what its sender says. */
  readonly lastAt: number;
};

/** What browsers reported, by app: an app may be known by that alone. */
export async function countAppUntrusted(): Promise<ReadonlyMap<string, AppUntrusted>> {
  requireReader();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('kept_app')
    .where('side', '=', 'event-browser')
    .where('rows', '>', 0)
    .select(({ selectFrom }) => [
      'of_app as app',
      'rows as untrusted',
      selectFrom('event')
        .select(({ fn }) => fn.max('received_at').as('last'))
        .whereRef('event.app', '=', 'kept_app.of_app')
        .where('event.side', '=', 'browser')
        .as('last'),
    ])
    .execute();
  return new Map(rows.map(({ app, untrusted, last }) => [app, { untrusted, lastAt: last ?? 0 }]));
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

import 'server-only';

import type { Transaction } from 'kysely';

import { readBuildFiguresIn } from '#src/flights/for-operator/build-figures.ts';
import { compareBuilds, findBuildBefore } from '#src/flights/for-operator/compare-builds.ts';
import { openFlightsReader } from '#src/flights/recorder/flights-reader.ts';
import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { selectNewFaults } from '../builds/count-new-faults.ts';
import { readAppNames } from './app-names.ts';
import { hearsNew, toChannel, type Channel } from './channel.ts';
import { boundAppName, boundBuild, namedMost, type BuildChange } from './message.ts';
import { addDelivery, readNamed, readSent, sentKey, writeSent } from './store-alerts.ts';

/**
 * Tells what a deploy brought: once for each build, a quarter of an hour after its first answer, when its routes have been asked for and
 * its errors have come. A build that brought nothing new and nothing heavier is not told.
 */
const settledMs = 15 * 60_000;
/** The server may have been down when it settled. Later nobody needs the message. */
const lateMs = 24 * 60 * 60_000;

type Deployed = { readonly app: string; readonly build: string; readonly firstAt: number };

/** Beside the ids of faults, of which none has a colon. */
function keyOf({ app, build }: Deployed): string {
  return `build:${app}:${build}`;
}

/** Of each app the newest that has settled: at a second deploy within the quarter of an hour the first is past. */
async function listDeployed({ db }: Store, now: number): Promise<readonly Deployed[]> {
  const rows = await db
    .selectFrom('app_release')
    .select(['app', 'name as build', 'first_time as firstAt'])
    .where('side', '=', 'server')
    .where('first_time', '>', now - lateMs)
    .where('first_time', '<=', now - settledMs)
    .orderBy('first_time', 'desc')
    .execute();
  return [...Map.groupBy(rows, ({ app }) => app).values()].flatMap(([newest]) => newest ?? []);
}

async function readHeavier({ app, build }: Deployed, now: number) {
  const db = await openFlightsReader();
  if (!db) return undefined;
  const figures = await readBuildFiguresIn(db, app, now);
  const before = findBuildBefore(figures, build);
  if (before === undefined) return undefined;
  return { before, heavier: compareBuilds(figures, build, before).filter(({ isHeavier }) => isHeavier) };
}

async function describeBuild(
  trx: Transaction<Tables>,
  { app, build }: Deployed,
  compared: NonNullable<Awaited<ReturnType<typeof readHeavier>>>,
  names: ReadonlyMap<string, string>,
): Promise<BuildChange | undefined> {
  const faults = await selectNewFaults(trx, app)
    .select('fault.id')
    .where('fault.first_release', '=', build)
    .orderBy('fault.count', 'desc')
    .orderBy('fault.id')
    .execute();
  const { before, heavier } = compared;
  if (faults.length === 0 && heavier.length === 0) return undefined;
  const first = faults.slice(0, namedMost).map(({ id }) => id);
  return {
    app,
    appName: boundAppName(names.get(app) ?? app),
    build: boundBuild(build),
    before: boundBuild(before),
    faults: faults.length,
    named: await readNamed(trx, first, names),
    heavier: heavier.length,
    routes: heavier.slice(0, namedMost).map(({ now, before: then }) => {
      return { route: boundBuild(now.route), kind: now.kind, bytes: now.bytes ?? 0, before: then?.bytes ?? 0 };
    }),
  };
}

/** A channel is told what happens after it was added. */
function isOf(channel: Channel, { app, firstAt }: Deployed): boolean {
  return hearsNew(channel, app) && channel.created <= firstAt + settledMs;
}

/** @returns how many messages were made */
export async function tellBuilds(store: Store, now: number): Promise<number> {
  const channels = (await store.db.selectFrom('alert_channel').selectAll().execute()).map(toChannel);
  const deployed = channels.length === 0 ? [] : await listDeployed(store, now);
  const told = await readSent(store.db, deployed.map(keyOf));
  let made = 0;
  for (const one of deployed) {
    const open = channels.filter((channel) => isOf(channel, one) && !told.has(sentKey(channel.id, keyOf(one))));
    if (open.length === 0) continue;
    const compared = await readHeavier(one, now);
    const names = await readAppNames(store);
    made += await store.transact(async (trx) => {
      const change = compared && (await describeBuild(trx, one, compared, names));
      for (const { id } of open) {
        await writeSent(trx, id, keyOf(one), { time: now, seen: 0, held: null, volumeHour: 0 });
        if (change) {
          const content = { type: 'build', time: now, ...change } as const;
          await addDelivery(trx, id, content, { state: 'waiting', next_time: now });
        }
      }
      return change ? open.length : 0;
    });
  }
  return made;
}

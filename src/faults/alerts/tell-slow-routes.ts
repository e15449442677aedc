import 'server-only';

import { createHash } from 'node:crypto';

import { readRouteHourIn, type RouteHour } from '#src/flights/for-operator/read-route-hour.ts';
import { openFlightsReader } from '#src/flights/recorder/flights-reader.ts';
import type { Store } from '#src/store/open-store.ts';

import { readAppNames } from './app-names.ts';
import { hearsOf, toChannel, type Channel } from './channel.ts';
import { boundAppName, boundBuild, namedMost } from './message.ts';
import { addDelivery, readSent, sentKey, writeSent } from './store-alerts.ts';
import { dayMs, hourMs, isRecent } from './weigh-faults.ts';

/**
 * Tells that a route is slower than a channel allows. A route is told once a day, however it goes up and down, and what is slow of an app
 * in one message an hour.
 */
/** Of an app, the slowest: each that was told is a row. */
const routesTold = 100;

type Slow = { readonly hour: RouteHour; readonly key: string };

/** Beside the ids of faults, of which none has a colon. A route may be longer than an index takes. */
function keyOf({ app, kind, route }: RouteHour): string {
  return `slow:${app}:${createHash('sha256').update(`${kind} ${route}`).digest('hex').slice(0, 32)}`;
}

function appKey(app: string): string {
  return `slow:${app}`;
}

/** Of each app that the channel is told of, the slowest route first. */
function listSlow(channel: Channel, hours: readonly RouteHour[]): ReadonlyMap<string, readonly Slow[]> {
  const { slow } = channel.rules;
  if (!slow) return new Map();
  const found = hours
    .filter(({ app, route }) => hearsOf(channel, app) && (slow.route === null || slow.route === route))
    .filter(({ p95Ms, answers }) => p95Ms > slow.ms && answers >= slow.answers)
    .toSorted((a, b) => b.p95Ms - a.p95Ms || (a.route < b.route ? -1 : 1))
    .map((hour) => ({ hour, key: keyOf(hour) }));
  return Map.groupBy(found, ({ hour }) => hour.app);
}

function describeSlow(slow: readonly Slow[], rule: NonNullable<Channel['rules']['slow']>) {
  const routes = slow.slice(0, namedMost).map(({ hour: { route, kind, p95Ms, answers } }) => {
    return { route: boundBuild(route), kind, p95Ms: Math.round(p95Ms), answers };
  });
  return { type: 'slow', count: slow.length, limitMs: rule.ms, routes } as const;
}

/** @returns how many messages were made */
export async function tellSlowRoutes(store: Store, now: number): Promise<number> {
  const all = (await store.db.selectFrom('alert_channel').selectAll().execute()).map(toChannel);
  const channels = all.filter(({ rules, paused }) => rules.slow !== null && paused === undefined);
  const db = channels.length === 0 ? undefined : await openFlightsReader();
  const hours = db ? await readRouteHourIn(db, now) : [];
  const slow = channels.map((channel) => ({ channel, byApp: listSlow(channel, hours) }));
  const keys = slow.flatMap(({ byApp }) =>
    [...byApp].flatMap(([app, routes]) => [appKey(app), ...routes.slice(0, routesTold).map(({ key }) => key)]),
  );
  if (keys.length === 0) return 0;
  const names = await readAppNames(store);
  return store.transact(async (trx) => {
    const told = await readSent(trx, [...new Set(keys)]);
    let made = 0;
    for (const { channel, byApp } of slow) {
      for (const [app, routes] of byApp) {
        const wasTold = (key: string, forMs: number) => {
          const sent = told.get(sentKey(channel.id, key));
          return sent !== undefined && isRecent(sent, now, forMs);
        };
        const fresh = routes.slice(0, routesTold).filter(({ key }) => !wasTold(key, dayMs));
        const { slow: rule } = channel.rules;
        if (!rule || fresh.length === 0 || wasTold(appKey(app), hourMs)) continue;
        const of = { time: now, app, appName: boundAppName(names.get(app) ?? app) };
        const content = { ...of, ...describeSlow(fresh, rule) };
        await addDelivery(trx, channel.id, content, { state: 'waiting', next_time: now });
        for (const key of [appKey(app), ...fresh.map((one) => one.key)]) {
          await writeSent(trx, channel.id, key, { time: now, seen: 0, held: null, volumeHour: 0 });
        }
        made += 1;
      }
    }
    return made;
  });
}

import 'server-only';

import { printShapePlace } from '#flight';
import type { LeakTotal } from '#src/flights/recorder/leak-totals.ts';
import type { Store } from '#src/store/open-store.ts';

import { boundPlace, type AlertContent } from './message.ts';
import { tellOnceADay, type GuardMessage } from './tell-once-a-day.ts';

function describeLeak({ app, what, places: count, newest }: LeakTotal, message: GuardMessage): AlertContent {
  const [name, route] = [boundPlace(newest.name), boundPlace(newest.route)];
  if (what === 'caches') return { type: what, app, count, name, route, ...message };
  return { type: what, app, count, name, place: boundPlace(printShapePlace(newest)), route, ...message };
}

/** Tells that an app sends what it should not: what and where, and never the secret. @returns how many messages were made */
export function tellLeaks(store: Store, totals: readonly LeakTotal[], now: number): Promise<number> {
  const alerts = totals.map((total) => {
    const { app, what, places: count, newest } = total;
    const describe = (message: GuardMessage) => describeLeak(total, message);
    return { app, key: `${what}:${app}`, count, lastAt: newest.last_at, describe };
  });
  return tellOnceADay(store, alerts, now);
}

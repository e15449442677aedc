import 'server-only';

import type { StormTotal } from '#src/flights/recorder/storm-totals.ts';
import type { Store } from '#src/store/open-store.ts';

import { boundPlace } from './message.ts';
import { tellOnceADay, type GuardMessage } from './tell-once-a-day.ts';

/** Tells that a tab asks for the same again and again: which, what, and since when. @returns how many messages were made */
export function tellStorms(store: Store, totals: readonly StormTotal[], now: number): Promise<number> {
  const alerts = totals.map(({ app, tabs, newest }) => {
    const { peak, requests, first_at: since, last_at: lastAt } = newest;
    const [route, page, tab] = [newest.route, newest.page, newest.tab].map(boundPlace);
    const describe = (message: GuardMessage) =>
      ({
        type: 'storms',
        app,
        count: tabs,
        route: route ?? '',
        page: page ?? '',
        tab: tab ?? '',
        peak,
        since,
        requests,
        ...message,
      }) as const;
    return { app, key: `storms:${app}`, count: tabs, lastAt, describe };
  });
  return tellOnceADay(store, alerts, now);
}

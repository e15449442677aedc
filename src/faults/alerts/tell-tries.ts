import 'server-only';

import type { TryTotal } from '#src/flights/recorder/count-tries.ts';
import type { Store } from '#src/store/open-store.ts';

import { tellOnceADay, type GuardMessage } from './tell-once-a-day.ts';

/** What a script or a harmless scanner sends is shown at `/guard` alone. */
const quietRules: ReadonlySet<string> = new Set(['spelling', 'unknown-action']);

/** Tells that somebody tries to break into an app. A scan is one message. @returns how many messages were made */
export function tellTries(store: Store, totals: readonly TryTotal[], now: number): Promise<number> {
  const byApp = Map.groupBy(
    totals.filter(({ rule }) => !quietRules.has(rule)),
    ({ app }) => app,
  );
  const alerts = [...byApp].map(([app, ofApp]) => {
    const count = ofApp.reduce((sum, total) => sum + total.count, 0);
    const lastAt = Math.max(...ofApp.map((total) => total.lastAt));
    const advisories = [...new Set(ofApp.flatMap(({ advisory }) => advisory || []))];
    const describe = (message: GuardMessage) => ({ type: 'tries', app, count, advisories, ...message }) as const;
    return { app, key: `guard:${app}`, count, lastAt, describe };
  });
  return tellOnceADay(store, alerts, now);
}

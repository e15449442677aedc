import 'server-only';

import type { Store } from '#src/store/open-store.ts';

import { readAppNames } from './app-names.ts';
import { hearsNew, toChannel } from './channel.ts';
import { boundAppName, type AlertContent } from './message.ts';
import { addDelivery, readSent, sentKey, writeSent } from './store-alerts.ts';
import { dayMs, isRecent } from './weigh-faults.ts';

/** What the guard has counted of an app. */
export type GuardAlert = {
  readonly app: string;
  /** Beside the ids of faults, of which none has a colon. */
  readonly key: string;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  readonly describe: (message: GuardMessage) => AlertContent;
};

/** What each such message has. `more`: since the last one; null in the first. */
export type GuardMessage = { readonly time: number; readonly appName: string; readonly more: number | null };

/** Tells at once what is new, and then at most once a day that it became more. @returns how many messages were made */
export async function tellOnceADay(store: Store, alerts: readonly GuardAlert[], now: number): Promise<number> {
  if (alerts.length === 0) return 0;
  const names = await readAppNames(store);
  return store.transact(async (trx) => {
    const channels = (await trx.selectFrom('alert_channel').selectAll().execute()).map(toChannel);
    const told = await readSent(
      trx,
      alerts.map(({ key }) => key),
    );
    let made = 0;
    for (const { app, key, count, lastAt, describe } of alerts) {
      for (const channel of channels.filter((one) => hearsNew(one, app) && lastAt >= one.created)) {
        const known = told.get(sentKey(channel.id, key));
        // When what was counted went with its age, the count is lower, and what comes then is new.
        const more = known === undefined || count < known.seen ? null : count - known.seen;
        const isSoon = known !== undefined && isRecent(known, now, dayMs);
        if (more === 0 || isSoon) continue;
        const content = describe({ time: now, appName: boundAppName(names.get(app) ?? app), more });
        await addDelivery(trx, channel.id, content, { state: 'waiting', next_time: now });
        await writeSent(trx, channel.id, key, { time: now, seen: count, held: null, volumeHour: 0 });
        made += 1;
      }
    }
    return made;
  });
}

import 'server-only';

import { setImmediate } from 'node:timers/promises';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { countLeaks } from '#src/flights/recorder/leak-totals.ts';
import { countStorms } from '#src/flights/recorder/storm-totals.ts';
import { countTries } from '#src/flights/recorder/count-tries.ts';
import type { Store } from '#src/store/open-store.ts';

import { deriveAlerts, forgetOldAlerts } from './derive-alerts.ts';
import { createDeliverer } from './send-deliveries.ts';
import { tellBuilds } from './tell-builds.ts';
import { tellLeaks } from './tell-leaks.ts';
import { tellSlowRoutes } from './tell-slow-routes.ts';
import { tellStorms } from './tell-storms.ts';
import { tellTries } from './tell-tries.ts';

/** Nobody reads a message sooner than a few seconds after it was sent. A look that finds nothing takes a tenth of a millisecond. */
const lookEveryMs = 2_000;
/** Adds up the counts of the hour, so it is done less often. */
const volumeEveryLooks = 5;
/** Sums up the flights of an hour, where a channel asks for it. */
const slowEveryLooks = 30;
const forgetEveryLooks = 1_800;
/** A database that cannot be written is not asked, and the log not told, every two seconds. */
const looksOutAfterFailure = 30;

/**
 * Derives alerts and sends them, from now on. The first look is not at once: until the server listens, nobody knows the port that
 * the links need.
 * @param isHeld whether it is still this server that does it, where there are several
 * @returns a function that stops it; what is left waits in the database
 */
export function startAlerts(
  store: Store,
  isHeld: () => boolean = () => true,
  everyMs: number = lookEveryMs,
): () => Promise<void> {
  const deliverer = createDeliverer(store);
  let looks = 0;
  let looksOut = 0;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const now = Date.now();
    try {
      const looksAtVolume = looks % volumeEveryLooks === 0;
      const looksAtSlow = looks % slowEveryLooks === 0;
      if (looks % forgetEveryLooks === 0) await forgetOldAlerts(store, now);
      looks += 1;
      let hasMore = await deriveAlerts(store, now, looksAtVolume);
      while (hasMore && isHeld()) {
        // Requests come first.
        await setImmediate();
        hasMore = await deriveAlerts(store, now, false);
      }
      if (looksAtVolume) {
        await tellTries(store, await countTries(), now);
        await tellLeaks(store, await countLeaks(), now);
        await tellStorms(store, await countStorms(), now);
        await tellBuilds(store, now);
      }
      if (looksAtSlow) await tellSlowRoutes(store, now);
      if (isHeld()) await deliverer.sendDue(now);
    } catch (error) {
      looksOut = looksOutAfterFailure;
      writeLog('error', 'alerts-failed', { reason: describeError(error) });
    } finally {
      looking = undefined;
    }
  }

  function lookUnlessLooking(): void {
    if (!isHeld()) return;
    if (looksOut > 0) looksOut -= 1;
    else looking ??= look();
  }

  const timer = setInterval(lookUnlessLooking, everyMs);
  timer.unref();
  return async function stopAlerts() {
    clearInterval(timer);
    await looking;
    await deliverer.stop();
  };
}

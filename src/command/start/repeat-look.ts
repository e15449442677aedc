import 'server-only';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

/** What a look is, how often it is taken, and the event of the log when one fails. */
type Repeated = { readonly look: () => Promise<void>; readonly everyMs: number; readonly event: string };

/**
 * Repeats a look while this server holds the lease for it. Looks do not overlap.
 * @returns what ends it, after the look that is under way
 */
export function repeatLook({ look, everyMs, event }: Repeated, isHeld: () => boolean): () => Promise<void> {
  let looking: Promise<void> | undefined;
  let failed = false;

  async function tryLook(): Promise<void> {
    try {
      await look();
      failed = false;
    } catch (error) {
      // Once, until it works again: a database that is away is away for many looks.
      if (!failed) writeLog('warn', event, { reason: describeError(error) });
      failed = true;
    } finally {
      looking = undefined;
    }
  }

  const timer = setInterval(() => {
    if (isHeld()) looking ??= tryLook();
  }, everyMs).unref();
  return async function stop() {
    clearInterval(timer);
    await looking;
  };
}

import { createDrops, dropReasons, type DropCounts } from '../flight/drops.ts';
import { writeLog } from '#src/server/http/log.ts';
import type { WriteFlights } from './write-flights.ts';

/**
 * What was lost in this process, told to the file in which another process looks: so the list of flights says what is missing.
 */

/** Losses come in bursts, and are looked at by a person. */
export const tellEveryMs = 1_000;

/** A line for each second of it would be its own flood. */
const lineEveryMs = 60_000;

/** Tells the file what was lost since it was last told, until it has been told all. */
export function createTeller(app: string, writer: WriteFlights, read: () => DropCounts): () => Promise<void> {
  let told = createDrops().read();
  let latest = Promise.resolve();
  let logged = createDrops().read();
  let loggedAt = -Infinity;

  function logLosses(counts: DropCounts): void {
    if (performance.now() - loggedAt < lineEveryMs) return;
    const more = dropReasons.flatMap((reason) => {
      const count = counts[reason] - logged[reason];
      return count > 0 ? [[reason, count] as const] : [];
    });
    if (more.length === 0) return;
    writeLog('warn', 'flights-not-recorded', { app, ...Object.fromEntries(more) });
    logged = counts;
    loggedAt = performance.now();
  }

  async function tell(): Promise<void> {
    const counts = read();
    logLosses(counts);
    const losses = dropReasons.flatMap((reason) => {
      const count = counts[reason] - told[reason];
      return count > 0 ? { app, reason, count, time: Date.now() } : [];
    });
    if (losses.length === 0) return;
    try {
      await writer.ask({ type: 'losses', losses });
      told = counts;
    } catch {
      // The disk is full or the thread has ended: the writer has logged it, and this is tried again.
    }
  }

  // One after the other: what is being told would be told twice.
  return () => (latest = latest.then(tell));
}

/** Tells it from now on. @returns a function that tells the rest and ends it */
export function startTelling(app: string, writer: WriteFlights, read: () => DropCounts): () => Promise<void> {
  const tell = createTeller(app, writer, read);
  const timer = setInterval(() => void tell(), tellEveryMs).unref();
  return async function stopTelling() {
    clearInterval(timer);
    await writer.flush();
    await tell();
  };
}

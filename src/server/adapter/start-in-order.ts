import 'server-only';

/** What ends a part. It may be called once. */
export type Stop = () => unknown;

/**
 * Starts the parts of a server, one after the other. What a part needs stands before it.
 * @returns what stops them in the reverse order, so that no part loses what it needs. Whoever calls it again waits for the same end. It
 * rejects with what a part could not stop with, when all others are stopped
 * @throws what a part could not start with; those before it are stopped by then
 */
export async function startInOrder(
  parts: readonly (() => Stop | Promise<Stop | void>)[],
): Promise<() => Promise<void>> {
  const stops: Stop[] = [];
  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    stopping ??= stopAll(stops.toReversed());
    return stopping;
  }
  try {
    for (const start of parts) stops.push((await start()) ?? (() => undefined));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function stopAll(stops: readonly Stop[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of stops) {
    try {
      await stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

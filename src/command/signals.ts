/** Signals that end this process, for a command that ends in its own order. */
const handled = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The same signal within this time is one: npm passes on what the terminal has sent to everybody. */
const sameMs = 500;

/** Calls back for each signal from now on, instead of ending. @returns what makes it end again */
export function takeSignals(onSignal: (signal: NodeJS.Signals) => void): () => void {
  const lastAt = new Map<NodeJS.Signals, number>();
  function take(signal: NodeJS.Signals): void {
    const now = performance.now();
    const isSame = now - (lastAt.get(signal) ?? Number.NEGATIVE_INFINITY) < sameMs;
    lastAt.set(signal, now);
    if (!isSame) onSignal(signal);
  }
  for (const signal of handled) process.on(signal, take);
  return () => {
    for (const signal of handled) process.off(signal, take);
  };
}

/**
 * Whether this process is about to end: from then on it is not ready for new work, and each answer is the last one on
 * its connection. Set once, by the host, when it is told to stop.
 */
let isEnding = false;
const listeners = new Set<() => void>();

export function beginDraining(): void {
  if (isEnding) return;
  isEnding = true;
  for (const listener of listeners) listener();
}

/** For answers that would otherwise have no end: the drain waits for them. @returns takes the listener away */
export function onDraining(listener: () => void): () => void {
  listeners.add(listener);
  // A request that came after it began: on a connection that was there, or from the system's queue.
  if (isEnding) {
    queueMicrotask(() => {
      if (listeners.has(listener)) listener();
    });
  }
  return () => void listeners.delete(listener);
}

export function isServerEnding(): boolean {
  return isEnding;
}

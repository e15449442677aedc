/**
 * Whether this process is about to end: from then on it is not ready for new work, and each answer is the last one on
 * its connection. Set once, by the host, when it is told to stop.
 */
let isEnding = false;
const listeners = new Set<() => void>();

export function beginDraining(): void {
  isEnding = true;
  for (const listener of listeners) listener();
}

/** For answers that would otherwise have no end: the drain waits for them. @returns takes the listener away */
export function onDraining(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function isDraining(): boolean {
  return isEnding;
}

/**
 * Told after an action whose response carried rendered elements: the server rendered again because data had changed,
 * so whatever was fetched ahead of time may be out of date.
 */
const listeners = new Set<() => void>();

/** @returns ends the subscription */
export function subscribeDataChanged(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function announceDataChanged(): void {
  for (const listener of listeners) listener();
}

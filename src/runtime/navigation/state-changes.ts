const listeners = new Set<() => void>();
let version = 0;

/** Calls `listener` after each change of anything that the navigation state shows. @returns a function that stops it */
export function subscribeToNavigation(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announceChange(): void {
  version += 1;
  for (const listener of listeners) listener();
}

/** Grows with every change, so that a snapshot knows whether it is still current. */
export function stateVersion(): number {
  return version;
}

const listeners = new Set<() => void>();
let version = 0;

/** Calls `listener` after anything the navigation state shows has changed; returns the way to stop. */
export function subscribeToNavigation(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announceChange(): void {
  version += 1;
  for (const listener of listeners) listener();
}

/** Grows with every change, so that a snapshot can tell whether it is still true. */
export function stateVersion(): number {
  return version;
}

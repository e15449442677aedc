import { useSyncExternalStore } from 'react';

function subscribeToNothing(): () => void {
  return () => {};
}

/** False in the server's HTML and while hydrating, then true. For controls that do nothing without JavaScript. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}

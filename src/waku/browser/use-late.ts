import { useSyncExternalStore } from 'react';

import { readLate, subscribeToLate, type Late } from './late.ts';

/** What is loaded later, once it is there. */
export function useLate(): Late | undefined {
  return useSyncExternalStore(subscribeToLate, readLate, () => undefined);
}

import { useSyncExternalStore } from 'react';

import { followMoves, readQuery } from './offline-address.ts';

/** In place of Waku's: what the address says after `?`. */
export function useRouter(): { readonly query: string } {
  return { query: useSyncExternalStore(followMoves, readQuery) };
}

import { useCallback, useEffect, useState } from 'react';

import type { Flight } from '#flight';

import { formatViewHash, parseViewHash, type View } from './view-hash.ts';

/**
 * The viewer's state, kept in the address. A change replaces the history entry, so that going back leaves the flight,
 * as people expect after a hundred selected rows. The router's own state of that entry stays as it is.
 */
export function useView(flight: Flight): readonly [View, (change: Partial<View>) => void] {
  const [view, setView] = useState<View>(() => parseViewHash(flight, globalThis.location?.hash ?? ''));

  useEffect(() => {
    const follow = () => setView(parseViewHash(flight, globalThis.location.hash));
    globalThis.addEventListener('hashchange', follow);
    return () => globalThis.removeEventListener('hashchange', follow);
  }, [flight]);

  useEffect(() => {
    const { pathname, search, hash } = globalThis.location;
    const wanted = formatViewHash(flight, view);
    if (wanted !== hash) globalThis.history.replaceState(globalThis.history.state, '', `${pathname}${search}${wanted}`);
  }, [flight, view]);

  const change = useCallback((part: Partial<View>) => setView((before) => ({ ...before, ...part })), []);
  return [view, change];
}

'use client';

import { useEffect } from 'react';

import { listLeftEvent, listShownEvent } from './save-messages.ts';

/**
 * Keeps the list up to date: in development the list of experiments follows their files, also a save that their own pages are not given.
 */
export function DevList() {
  useEffect(() => {
    import.meta.hot?.send(listShownEvent);
    return () => import.meta.hot?.send(listLeftEvent);
  }, []);
  return null;
}

'use client';

import { useLayoutEffect } from 'react';

type Recorded = 'own' | 'others';

/** Of this browser: most pages do not know it, and some are the same for everybody. */
const storageKey = 'flight-recorder:recorded';

function show(recorded: Recorded): void {
  document.documentElement.dataset['recorded'] = recorded;
}

function readKept(): Recorded | undefined {
  try {
    const kept = localStorage.getItem(storageKey);
    return kept === 'own' || kept === 'others' ? kept : undefined;
  } catch {
    // The browser keeps nothing for this site.
    return undefined;
  }
}

function keep(recorded: Recorded): void {
  try {
    localStorage.setItem(storageKey, recorded);
  } catch {
    // As above: then the next page that knows it says it again.
  }
}

/**
 * On a page that knows whether other apps are recorded: the header shows the recorder's own pages while there are none. Without a
 * script that is so on this page; with one, on all that follow.
 */
export function OwnPages({ isAlone }: { isAlone: boolean }) {
  const recorded = isAlone ? 'own' : 'others';
  useLayoutEffect(() => {
    show(recorded);
    keep(recorded);
  }, [recorded]);
  return <span hidden data-recorded={recorded} />;
}

/** In the header: what an earlier page knew, on one that does not know it. */
export function KeptOwnPages() {
  useLayoutEffect(() => {
    const kept = readKept();
    if (kept && !document.documentElement.dataset['recorded']) show(kept);
  }, []);
  return null;
}

'use client';

import { useEffect } from 'react';

/**
 * On a page that knows whether other apps are recorded: the header shows the recorder's own pages while there are none. Without a
 * script that is so on this page; with one, on all that follow in this tab.
 */
export function OwnPages({ isAlone }: { isAlone: boolean }) {
  const recorded = isAlone ? 'own' : 'others';
  useEffect(() => {
    document.documentElement.dataset['recorded'] = recorded;
  }, [recorded]);
  return <span hidden data-recorded={recorded} />;
}

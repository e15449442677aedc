import { useSyncExternalStore } from 'react';

/** A panel is rendered before the router writes the address, so its first reading may be about the page before. */
function subscribe(listener: () => void): () => void {
  window.navigation?.addEventListener('currententrychange', listener);
  return () => window.navigation?.removeEventListener('currententrychange', listener);
}

function readCanGoBack(): boolean {
  return window.navigation?.canGoBack ?? window.history.length > 1;
}

/** Whether this tab has a page to go back to. False in the server's HTML, where a button would not work. */
export function useCanGoBack(): boolean {
  return useSyncExternalStore(subscribe, readCanGoBack, () => false);
}

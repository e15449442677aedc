import { rememberLeaving } from './document-navigation.ts';
import { isServerReachable } from './offline.ts';
import { claimRecovery, returnRecovery } from './recovery-mark.ts';

/**
 * What happens when a module cannot be loaded. Waku's bootstrap script then reloads the document. That is right when a
 * new build removed the module, but without a connection it loses the page. Waku does so once per build, and marks that
 * in the session storage. So this code sets the mark first, for as long as the document lives, and decides itself: it
 * reloads only when the server answers. Until this code runs, while the first modules load, Waku's way is in effect.
 */
/** Unless somebody else, a listener after this one, said that the page can do without the module. */
async function reloadForNewBuild(event: Event) {
  const isReachable = await isServerReachable();
  if (isReachable && !event.defaultPrevented && rememberLeaving(window.location.href)) window.location.reload();
}

/** @returns a function that stops it */
export function recoverModules(): () => void {
  claimRecovery();
  const controller = new AbortController();
  // Back and forward may hide a page and show it again.
  window.addEventListener('pageshow', claimRecovery, controller);
  window.addEventListener('pagehide', returnRecovery, controller);
  window.addEventListener('vite:preloadError', reloadForNewBuild, controller);
  return () => {
    returnRecovery();
    controller.abort();
  };
}

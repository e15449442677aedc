import { rememberLeaving } from './document-navigation.ts';
import { isServerReachable } from './offline.ts';
import { forget, remember } from './session-memory.ts';

/**
 * What happens when a module cannot be loaded. Waku's bootstrap script then loads the document anew, which is right
 * when a new build took the module away, and ends the page when there is no connection. It does so once per build, and
 * marks that in the session storage; so this marks it first, for as long as the document lives, and decides itself:
 * only a server that answers is worth a reload. Until this runs, while the first modules load, Waku's way stands.
 */
const wakuKey = 'waku:preload-error-build-id';

function claimRecovery() {
  remember(wakuKey, import.meta.env.WAKU_BUILD_ID ?? '');
}

function returnRecovery() {
  forget(wakuKey);
}

async function reloadForNewBuild() {
  if ((await isServerReachable()) && rememberLeaving(window.location.href)) window.location.reload();
}

/** Returns the way to stop. */
export function recoverModules(): () => void {
  claimRecovery();
  // A page may be hidden and shown again by back and forward.
  window.addEventListener('pageshow', claimRecovery);
  window.addEventListener('pagehide', returnRecovery);
  window.addEventListener('vite:preloadError', reloadForNewBuild);
  return () => {
    returnRecovery();
    window.removeEventListener('pageshow', claimRecovery);
    window.removeEventListener('pagehide', returnRecovery);
    window.removeEventListener('vite:preloadError', reloadForNewBuild);
  };
}

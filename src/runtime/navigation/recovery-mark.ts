import { forget, remember } from './session-memory.ts';

/** Waku's mark that this build's document was already loaded again for a module that was missing: module-recovery.ts. */
const wakuKey = 'waku:preload-error-build-id';

export function claimRecovery() {
  remember(wakuKey, import.meta.env.WAKU_BUILD_ID ?? '');
}

export function returnRecovery() {
  forget(wakuKey);
}

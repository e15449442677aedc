import { forget, recall, remember } from '#report/browser/tab-memory.ts';

/** Waku's mark that this build's document was already loaded again for a module that was missing: module-recovery.ts. */
const wakuKey = 'waku:preload-error-build-id';

/** What Waku itself had marked. Without it, a document whose own module stays away would be loaded again for ever. */
let claimed: { readonly before: string | undefined } | undefined;

export function claimRecovery() {
  claimed ??= { before: recall(wakuKey) };
  remember(wakuKey, import.meta.env.WAKU_BUILD_ID ?? '');
}

export function returnRecovery() {
  if (claimed?.before === undefined) forget(wakuKey);
  else remember(wakuKey, claimed.before);
  claimed = undefined;
}

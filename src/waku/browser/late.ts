import { importAgain } from '#src/runtime/navigation/import-again.ts';
import { claimRecovery, returnRecovery } from '#src/runtime/navigation/recovery-mark.ts';
import { runtimeSettings } from '#src/runtime/settings.ts';

/**
 * The browser's side comes in two parts. The first is loaded with the page, and only does what cannot wait: it listens for
 * errors, catches a page that fails, and holds requests. The second (late-parts.tsx) does the rest. It is loaded when the
 * page is complete and the browser has nothing to do, so that it is there when the connection fails; or at once, when the
 * visitor acts, a request is made or something fails.
 *
 * Where it cannot be loaded, the page is as Waku makes it, and the next need tries again.
 */
export type Late = typeof import('./late-parts.tsx');

/** A page that is busy all the time gets it all the same. */
const idleTimeoutMs = 2_000;

let late: Late | undefined;
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

async function load(): Promise<void> {
  // Waku loads the document again when a module cannot be loaded. The page can do without this one.
  claimRecovery();
  try {
    late = await import('./late-parts.tsx').catch(importAgain<Late>);
  } catch {
    loading = undefined;
  }
  returnRecovery();
  for (const listener of listeners) listener();
}

export function loadLate(): Promise<void> {
  return (loading ??= load());
}

export function readLate(): Late | undefined {
  return late;
}

export function subscribeToLate(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Loads it now. A request that waits for it waits no longer than one that the server does not answer. */
export async function takeLate(): Promise<Late | undefined> {
  const patience = new Promise((resolve) => setTimeout(resolve, runtimeSettings.routeLoadingTimeoutMs));
  await Promise.race([loadLate(), patience]);
  return late;
}

function planLoad(): void {
  // Safari has no `requestIdleCallback`.
  if ('requestIdleCallback' in window) requestIdleCallback(() => void loadLate(), { timeout: idleTimeoutMs });
  else setTimeout(() => void loadLate(), idleTimeoutMs / 10);
}

/** Once per document, from its first effect on. */
export function loadLateWhenIdle(): void {
  if (loading) return;
  if (document.readyState === 'complete') planLoad();
  else addEventListener('load', planLoad, { once: true });
  for (const type of ['pointerdown', 'keydown', 'submit']) {
    addEventListener(type, () => void loadLate(), { once: true, capture: true, passive: true });
  }
}

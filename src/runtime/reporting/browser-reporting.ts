import { unstable_getErrorInfo as getErrorInfo } from 'waku/minimal/client';

import { takeIdentity, type IdentifiedError } from '../errors/browser-digest.ts';

/**
 * Reporting in the browser until the SDK is there, and the way to it afterwards. The SDK is a third of the size of
 * everything else together, and most visits need none of it: it is loaded after hydration, when there is something to
 * report or the visitor begins to do something that could become a breadcrumb. What happens before is kept and sent.
 */
export type BrowserError = {
  readonly error: unknown;
  readonly identity: IdentifiedError;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly mechanism: 'caught' | 'uncaught' | 'recoverable' | 'window' | 'promise';
  readonly componentStack: string | undefined;
};

export type Sdk = {
  readonly capture: (error: BrowserError) => void;
  readonly countBreadcrumbs: () => number;
};

/** An error in a loop must not grow the page; the first ones tell the cause. */
const errorsKept = 20;
const waiting: BrowserError[] = [];
let sdk: Sdk | undefined;
let loading: Promise<void> | undefined;
let hydrated = false;

function captureWaiting(): void {
  for (const error of waiting.splice(0)) sdk?.capture(error);
}

async function loadSdk(): Promise<void> {
  const { startBrowserSdk } = await import('./browser-sdk.ts');
  sdk = startBrowserSdk();
  captureWaiting();
}

function ensureSdk(): void {
  if (!hydrated || loading) return;
  loading = loadSdk().catch((error: unknown) => {
    // Offline, or a build that is gone. Not reported: the next error tries again.
    loading = undefined;
    console.warn('Error reporting could not be loaded', error);
  });
}

/** Reports `error`, now or as soon as the SDK is there. Waku's redirects and not-founds are not errors. */
function reportBrowserError(
  error: unknown,
  mechanism: BrowserError['mechanism'],
  componentStack?: string | null,
): void {
  if (getErrorInfo(error)) return;
  const report: BrowserError = {
    error,
    identity: takeIdentity(error),
    mechanism,
    time: Date.now(),
    componentStack: componentStack ?? undefined,
  };
  if (waiting.length < errorsKept) waiting.push(report);
  // In a later task: the click that caused the error becomes a breadcrumb only after React has handled it.
  if (sdk) setTimeout(captureWaiting);
  else ensureSdk();
}

/** React's callbacks for a root. Each still writes to the console, which the error page tells the visitor to look at. */
export const rootErrorCallbacks = {
  onCaughtError(error: unknown, info: { componentStack?: string | undefined }) {
    if (!getErrorInfo(error)) console.error(error);
    reportBrowserError(error, 'caught', info.componentStack);
  },
  onUncaughtError(error: unknown, info: { componentStack?: string | undefined }) {
    console.error(error);
    reportBrowserError(error, 'uncaught', info.componentStack);
  },
  onRecoverableError(error: unknown, info: { componentStack?: string | undefined }) {
    console.error(error);
    reportBrowserError(error, 'recoverable', info.componentStack);
  },
};

/** Listens for what React does not see. Called before hydration, or errors in it would be lost. */
export function listenForErrors(): void {
  window.addEventListener('error', (event) => reportBrowserError(event.error ?? event.message, 'window'));
  window.addEventListener('unhandledrejection', (event) => reportBrowserError(event.reason, 'promise'));
}

/** Called once the page is interactive: from here on the SDK may be loaded. */
export function allowSdk(): void {
  hydrated = true;
  if (waiting.length > 0) ensureSdk();
  for (const type of ['pointerdown', 'keydown', 'submit'] as const) {
    window.addEventListener(type, ensureSdk, { once: true, capture: true, passive: true });
  }
}

/** How many breadcrumbs a report would carry now; undefined until the SDK is loaded, which begins to collect them. */
export function countBreadcrumbs(): number | undefined {
  return sdk?.countBreadcrumbs();
}

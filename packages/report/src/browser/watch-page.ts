import { describeAddress } from './breadcrumbs.ts';

/**
 * What this module hears of beside breadcrumbs: requests, changes of the address, and lines of the console. It is apart from the
 * recorder of breadcrumbs, since our own pages load that before anything else, and need nothing of this.
 */

/** Told of each `fetch` when it begins, before its answer is there. */
type FetchListener = (
  address: string | URL,
  asked: { readonly headers: Headers; readonly priority: string | undefined },
  response: Promise<Response>,
) => void;

function watchFetch(onFetch: FetchListener): void {
  const { fetch } = window;
  window.fetch = (input, init) => {
    const response = fetch(input, init);
    const isRequest = input instanceof Request;
    const headers = new Headers(init?.headers ?? (isRequest ? input.headers : undefined));
    onFetch(isRequest ? input.url : input, { headers, priority: init?.priority }, response);
    return response;
  };
}

/** A router may write the address while it is told of a step back or forward. */
function watchAddress(onNavigation: (to: string, isStep: boolean) => void): void {
  let from = describeAddress(location.href);
  let isStep = false;
  function look(): void {
    const to = describeAddress(location.href);
    if (to === from) return;
    from = to;
    onNavigation(location.href, isStep);
    isStep = false;
  }
  addEventListener('popstate', () => (isStep = true), true);
  for (const method of ['pushState', 'replaceState'] as const) {
    const original = history[method];
    history[method] = (...args: Parameters<History['pushState']>) => {
      original.apply(history, args);
      look();
    };
  }
  addEventListener('popstate', look);
}

function watchConsoleErrors(onConsoleError: (args: readonly unknown[]) => void): void {
  const original = console.error;
  console.error = (...args: unknown[]) => {
    original.apply(console, args);
    try {
      onConsoleError(args);
    } catch {
      // Writing to the console never fails.
    }
  };
}

export type PageListeners = {
  readonly onFetch?: FetchListener;
  /** Called when the address has changed: by a step back or forward, or not. */
  readonly onNavigation?: (to: string, isStep: boolean) => void;
  /** Called with what is written to the console as an error. */
  readonly onConsoleError: (args: readonly unknown[]) => void;
};

/** Called before breadcrumbs are recorded: then a report of a line of the console does not have that line before it. */
export function watchPage({ onFetch, onNavigation, onConsoleError }: PageListeners): void {
  if (onFetch) watchFetch(onFetch);
  if (onNavigation) watchAddress(onNavigation);
  watchConsoleErrors(onConsoleError);
}

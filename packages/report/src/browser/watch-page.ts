import { isRecord } from '#boundary';

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

/**
 * By whom the address was changed: by the router, which shows another page; by a step back or forward; or by the app itself, which shows
 * what it did before.
 */
type AddressChange = 'router' | 'step' | 'app';

/** What Next.js shows, as it writes it beside the address. An app that changes the address itself leaves it as it is. */
function readShown(): string | undefined {
  const state: unknown = history.state;
  return isRecord(state) ? JSON.stringify(state['__PRIVATE_NEXTJS_INTERNALS_TREE']) : undefined;
}

/** A router may write the address while it is told of a step. A fragment is a place in the page: a click on it is such a step, too. */
function watchAddress(onNavigation: (to: string, by: AddressChange) => void): void {
  const readPage = () => location.pathname + location.search;
  let from = readPage();
  let isStep = false;
  function look(by: AddressChange): void {
    const to = readPage();
    if (to === from) return;
    from = to;
    onNavigation(location.href, isStep ? 'step' : by);
  }
  addEventListener('popstate', () => (isStep = true), true);
  for (const method of ['pushState', 'replaceState'] as const) {
    const original = history[method];
    history[method] = (...args: Parameters<History['pushState']>) => {
      const before = readShown();
      original.apply(history, args);
      look(before !== undefined && before === readShown() ? 'app' : 'router');
    };
  }
  addEventListener('popstate', () => {
    look('step');
    isStep = false;
  });
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
  /** Called when the page's address has changed, its query included. */
  readonly onNavigation?: (to: string, by: AddressChange) => void;
  /** Called with what is written to the console as an error. */
  readonly onConsoleError: (args: readonly unknown[]) => void;
};

/** Called before breadcrumbs are recorded: then a report of a line of the console does not have that line before it. */
export function watchPage({ onFetch, onNavigation, onConsoleError }: PageListeners): void {
  if (onFetch) watchFetch(onFetch);
  if (onNavigation) watchAddress(onNavigation);
  watchConsoleErrors(onConsoleError);
}

import { nameElementPath } from './name-element.ts';

/**
 * What happened in this document, from before React's first render to its end: clicks, navigations, requests, scripts that could not
 * be loaded, and the console's warnings and errors. This is the only recorder. An SDK that is loaded late or never is given no recorder
 * of its own: nothing is noted twice, and nothing before it is missing. A report takes a copy at the moment of its error.
 *
 * Nothing that a person typed is kept. Of an element only the name that its author gave it is kept, of an address only
 * the path and the names of its parameters.
 */
export type BrowserBreadcrumb = {
  /** Seconds since 1970, as in Sentry's format. */
  readonly timestamp: number;
  readonly category: string;
  level?: 'warning' | 'error';
  readonly message?: string;
  data?: Readonly<Record<string, string | number>>;
};

/**
 * Characters. A hundred breadcrumbs, with everything else in a report, stay below the 60,000 bytes that keepalive
 * takes.
 */
const messageLimit = 200;

const interactive = 'a,button,input,select,textarea,summary,label,[role]';
/** The newest are kept. */
export const breadcrumbsKept = 100;
const breadcrumbs: BrowserBreadcrumb[] = [];
/** Of the requests that send reports: they are not noted. */
let ownAddress = '';

export function addBreadcrumb(breadcrumb: Partial<BrowserBreadcrumb> & { category: string }): BrowserBreadcrumb {
  const added = { timestamp: Date.now() / 1000, ...breadcrumb };
  if (breadcrumbs.push(added) > breadcrumbsKept) breadcrumbs.shift();
  return added;
}

/** Copies the breadcrumbs as they are now: a request that is in flight may still change in the page, but not in the copy. */
export function copyBreadcrumbs(): BrowserBreadcrumb[] {
  return breadcrumbs.map((breadcrumb) => ({ ...breadcrumb }));
}

export function countBreadcrumbs(): number {
  return breadcrumbs.length;
}

/** The path and the names of the query's parameters. For another origin, with that origin. */
export function describeAddress(address: string | URL): string {
  if (!URL.canParse(address, location.href)) return '';
  const { protocol, origin, pathname, searchParams } = new URL(address, location.href);
  // `data:` and similar schemes hold content, not an address.
  if (origin === 'null') return protocol;
  const names = [...searchParams.keys()].join('&');
  return ((origin === location.origin ? '' : origin) + pathname + (names && `?${names}`)).slice(0, messageLimit);
}

function noteClick({ target }: Event): void {
  const element = target instanceof Element && (target.closest(interactive) ?? target);
  const message = element ? nameElementPath(element).slice(-messageLimit) : '';
  addBreadcrumb({ category: 'ui.click', message });
}

function watchNavigations(): void {
  let from = describeAddress(location.href);
  function noteNavigation(): void {
    const to = describeAddress(location.href);
    if (to !== from) addBreadcrumb({ category: 'navigation', data: { from, to } });
    from = to;
  }
  for (const method of ['pushState', 'replaceState'] as const) {
    const original = history[method];
    history[method] = (...args: Parameters<History['pushState']>) => {
      original.apply(history, args);
      noteNavigation();
    };
  }
  addEventListener('popstate', noteNavigation);
}

/** @returns what to call when the request has ended: with its status, or without one when no answer came */
function noteRequest(category: string, method: string, address: string | URL): (status?: number) => void {
  const data = { method: method.toUpperCase(), url: describeAddress(address) };
  const start = performance.now();
  const noted = `${data.url}/`.startsWith(`${ownAddress}/`) ? undefined : addBreadcrumb({ category, data });
  return (status) => {
    if (!noted) return;
    noted.data = { ...data, ...(status ? { status_code: status } : {}), ms: Math.round(performance.now() - start) };
    if (status === undefined || status > 399) noted.level = 'error';
  };
}

function watchRequests(): void {
  const { fetch } = window;
  window.fetch = (input, init) => {
    const isRequest = input instanceof Request;
    const end = noteRequest('fetch', init?.method ?? (isRequest ? input.method : 'GET'), isRequest ? input.url : input);
    const response = fetch(input, init);
    response.then(
      ({ status }) => end(status),
      () => end(),
    );
    return response;
  };
  const { open } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function openNoted(method: string, url: string | URL, ...rest: unknown[]) {
    this.addEventListener('loadstart', () => {
      const end = noteRequest('xhr', method, url);
      this.addEventListener('loadend', () => end(this.status || undefined), { once: true });
    });
    Reflect.apply(open, this, [method, url, ...rest]);
  };
}

function watchConsole(): void {
  for (const method of ['warn', 'error'] as const) {
    const original = console[method];
    console[method] = (...args: unknown[]) => {
      original.apply(console, args);
      try {
        const message = args.map(String).join(' ').slice(0, messageLimit);
        addBreadcrumb({ category: 'console', level: method === 'warn' ? 'warning' : method, message });
      } catch {
        // An object that has no text, or that throws when it is asked for its text. Writing to the console never fails.
      }
    };
  }
}

/**
 * Notes a script or a style sheet that is gone, after a deploy or without a connection. It is no error by itself: who needs it throws one.
 * Our own pages do without it: what loads their files says so itself.
 * @param time milliseconds since 1970
 */
export function noteMissingFile(target: EventTarget | null, time: number): void {
  if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
  const url = describeAddress('src' in target ? target.src : target.href);
  const message = `<${target.localName}> could not load ${url}`;
  addBreadcrumb({ timestamp: time / 1000, category: 'resource', level: 'error', message });
}

/**
 * Called once, before React begins. So its listener for clicks runs before React's, and before anything that the click
 * breaks.
 * @param reportsTo where reports are sent: these requests are not noted
 */
export function recordBreadcrumbs(reportsTo: string): void {
  ownAddress = describeAddress(reportsTo);
  // The first breadcrumb: when and where the document began.
  addBreadcrumb({
    timestamp: performance.timeOrigin / 1000,
    category: 'document',
    message: describeAddress(location.href),
  });
  addEventListener('click', noteClick, true);
  watchNavigations();
  watchRequests();
  watchConsole();
}

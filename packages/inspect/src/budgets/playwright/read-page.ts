import { hasMethods } from '../has-methods.ts';
import { type Loaded, nameRequest, openLoaded } from '../open-loaded.ts';

import type { Session } from './stream-bodies.ts';

/**
 * What a page really loaded, from the browser's own traffic. Nothing is asked for again: a second request would have another
 * session, another cache and another prerender.
 *
 * The browser keeps a response's body until the next document replaces the page. So the document of a page that is there can be
 * read at any time after it came; the payloads of navigations only by who listens when they come.
 */
export type PageRequest = {
  readonly url: () => string;
  readonly method: () => string;
  readonly resourceType: () => string;
  readonly isNavigationRequest: () => boolean;
  readonly frame: () => unknown;
  readonly redirectedTo: () => unknown;
  readonly headers: () => Readonly<Record<string, string>>;
  /** Why it failed; null of one that did not. */
  readonly failure: () => { readonly errorText: string } | null;
  readonly response: () => Promise<PageResponse | null>;
};

export type PageResponse = {
  readonly status: () => number;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly body: () => Promise<Uint8Array>;
  readonly request: () => PageRequest;
};

export type RequestEvent = 'request' | 'requestfinished' | 'requestfailed';

export type Page = {
  readonly url: () => string;
  readonly mainFrame: () => unknown;
  readonly evaluate: (code: string) => Promise<unknown>;
  readonly waitForLoadState: (state: 'networkidle', options: { readonly timeout: number }) => Promise<void>;
  readonly context: () => { readonly newCDPSession: (page: Page) => Promise<Session> };
  /** Since Playwright 1.56: about the last hundred. */
  readonly requests?: () => Promise<readonly PageRequest[]>;
  readonly on: (event: RequestEvent, listener: (request: PageRequest) => void) => unknown;
  readonly off: (event: RequestEvent, listener: (request: PageRequest) => void) => unknown;
};

export function isPage(source: unknown): source is Page {
  if (typeof source !== 'object' || source === null) return false;
  return hasMethods(source, ['mainFrame', 'evaluate', 'waitForLoadState', 'context', 'on', 'off']);
}

function isDocumentOf(page: Page, request: PageRequest): boolean {
  return request.isNavigationRequest() && request.redirectedTo() === null && request.frame() === page.mainFrame();
}

/** Where the same can be asked for again; undefined of what a form sent. */
export function findAddress(request: PageRequest): string | undefined {
  return request.method() === 'GET' ? request.url() : undefined;
}

/** A `data:` address is a whole page. */
function shortenAddress(address: string): string {
  return address.length > 40 ? `${address.slice(0, 39)}…` : address;
}

/** @throws Error when the browser's record of it is gone, with what to do instead */
export async function readDocument(page: Page): Promise<Loaded> {
  if (!/^https?:/.test(page.url())) {
    throw new Error(
      `the page is at ${shortenAddress(page.url())}: nothing was loaded from a server; call page.goto(…) first`,
    );
  }
  const requests = (await page.requests?.()) ?? [];
  const request = requests.findLast((one) => isDocumentOf(page, one));
  const response = await request?.response();
  if (!request || !response) {
    throw new Error(
      `the document of ${page.url()} is out of reach: the page made more than a hundred requests since, or Playwright is older than 1.56; ` +
        'pass what loads it, expectFlight(page, () => page.goto(…)), or the response, expectFlight(page.goto(…))',
    );
  }
  const status = response.status();
  const name = nameRequest(request.method(), request.url(), { status });
  return await openLoaded(name, await response.body(), { status, isDocument: true, address: findAddress(request) });
}

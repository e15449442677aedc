import { describeError } from '#boundary';
import robotsParser from 'robots-parser';

import type { Header } from '../flight-command/arguments.ts';
import { type Fetched, fetchBounded } from '../flight-command/fetch-bounded.ts';

/**
 * The visitor of a site that `check` looks at. It says who it is, asks one after another, follows `robots.txt`, stays on the site
 * that it was given, and asks no more than it promised: a redirect is a request, too.
 */
export const maxRequests = 40;

/** For `robots.txt` and for who reads a log. */
const robotName = 'flight-recorder-check';
const userAgent = `Mozilla/5.0 (compatible; ${robotName}/1.0)`;

export type Visitor = {
  /** Never rejects. */
  readonly get: (url: URL, headers: readonly Header[]) => Promise<Visited>;
  readonly countRequests: () => number;
  /** Paths that robots.txt forbids, in the order in which they were met. */
  readonly forbidden: ReadonlySet<string>;
};

export type Visited =
  | { readonly kind: 'answer'; readonly answer: Fetched }
  | { readonly kind: 'failed'; readonly reason: string };

/** @param headers what the person wants sent with each request */
export async function visitSite(site: URL, headers: readonly Header[], obeysRobots: boolean): Promise<Visitor> {
  let requests = 0;
  const forbidden = new Set<string>();
  let isAllowed = (_url: URL): boolean => true;
  function beforeAsking(url: URL): void {
    if (url.origin !== site.origin) throw new Error(`it redirects to ${url.origin}, which is another site`);
    if (!isAllowed(url)) {
      forbidden.add(url.pathname);
      throw new Error('robots.txt forbids it');
    }
    if (requests >= maxRequests) throw new Error(`the ${maxRequests} requests of a check are used up`);
    requests += 1;
  }
  async function get(url: URL, ofRequest: readonly Header[]): Promise<Visited> {
    const own = [['User-Agent', userAgent] as const, ...ofRequest];
    try {
      return { kind: 'answer', answer: await fetchBounded({ url, headers: own, ownHeaders: headers, beforeAsking }) };
    } catch (error) {
      return { kind: 'failed', reason: describeError(error) };
    }
  }
  if (obeysRobots) {
    const address = new URL('/robots.txt', site);
    const robots = await get(address, []);
    if (robots.kind === 'answer' && robots.answer.status === 200) {
      const rules = robotsParser(address.href, new TextDecoder().decode(robots.answer.bytes));
      isAllowed = (url) => rules.isAllowed(url.href, robotName) !== false;
    }
  }
  return { get, countRequests: () => requests, forbidden };
}

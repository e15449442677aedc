import { isRecord } from '#boundary';

import { findClicked, findLink, readPage, watchLinks, type FoundLink } from './find-link.ts';
import { readFlightId } from './flight-id.ts';
import { readWakuPage } from './waku-page.ts';
import type { PageListeners } from './watch-page.ts';

/**
 * Which prefetches a page has shown, and for which link each was made. The proxy sees requests, and a click on a link whose page was
 * prefetched sends none, or one for the rest of it. Here the address changes, and what the document had of that page by then is known:
 * the newest answer of each kind, unless the click asked for the whole page anew. Each answer names its flight (`Server-Timing`), so what
 * is told is told of that flight. A step back shows what was there before, and uses no prefetch.
 *
 * **Next.js** sends the same for a click on a whole page and ahead of it. From 15 on, what it asks for ahead has a low priority. The proxy
 * sees that over HTTP/2 alone, so clicks are told, too. Next.js 14 gives no priority: then nothing is told.
 * **Waku** says what it has of other pages when it navigates, and that it has none when it prefetches. It waits for a prefetch that is on
 * its way.
 * **React Router** lets the browser prefetch (`<link rel="prefetch">`). The click then asks for the same, and gets that answer, with the
 * same flight's name, where the browser may keep it; else a new one from the server.
 */

/** How long Next.js shows what it prefetched: the longest of its default times. */
const lifetimeMs = 5 * 60_000;
/** Several clicks are told together, and what is not told by then when the page is left. */
const gatherMs = 3_000;
/** A page with more links is a list; the oldest are told as not used. */
const mostKept = 1_000;
/** Of each: some 35 bytes, and 300 for a link. A beacon takes 64 KiB, of which reports have their part. */
const mostTold = 100;

/** The address says nothing of them: a click asks the browser's cache, which may ask the server. */
const byBrowser = 'link';

/** `asked`: what its link leads to, where that is redirected to `page`. `order`: which request of the document it was. */
type Ahead = {
  readonly id: string;
  readonly order: number;
  readonly key: string;
  readonly asked: string;
  readonly page: string;
  readonly at: number;
};
type ReportedLink = readonly [id: string, trigger: string, text: string, place: string];

/** In which slot: what is shown beside a page, as where it is intercepted, is asked for in a slot of its own. */
function findMark(node: unknown, depth: number, slot: string): string | undefined {
  if (!Array.isArray(node) || depth > 100) return undefined;
  const [, slots, , marker]: unknown[] = node;
  const inner = isRecord(slots) ? Object.entries(slots) : [];
  if (marker === 'refetch' && (depth > 0 || inner.length > 0)) return slot;
  for (const [name, one] of inner) {
    const mark = findMark(one, depth + 1, name === 'children' ? slot : name);
    if (mark !== undefined) return mark;
  }
  return undefined;
}

/** Where the rest of a page is asked for (packages/flight/src/frameworks/next-tree.ts): the slot, empty for the page itself. */
function findRest(header: string | null): string | undefined {
  try {
    const tree: unknown = JSON.parse(decodeURIComponent(header ?? ''));
    return findMark(tree, 0, '');
  } catch {
    // None, or of another version.
    return undefined;
  }
}

async function readAnswer(response: Promise<Response>, onAnswer: (answer: Response) => void): Promise<void> {
  try {
    onAnswer(await response);
  } catch {
    // Whoever asked is told.
  }
}

/** `redirectedTo`: the page that is shown for the one that was asked for. */
function readAnswered(response: Promise<Response>, onId: (id: string, redirectedTo?: string) => void): Promise<void> {
  return readAnswer(response, ({ ok, headers, redirected, url }) => {
    const id = ok && readNamedFlight(headers.get('server-timing'));
    if (id) onId(id, redirected ? readPage(url) : undefined);
  });
}

/** To which page an action of Next.js leads: `/done;push`. */
function readRedirect(response: Promise<Response>, onPage: (page: string) => void): Promise<void> {
  return readAnswer(response, ({ headers }) => {
    const [to] = headers.get('x-action-redirect')?.split(';') ?? [];
    if (to) onPage(readPage(to));
  });
}

function withoutQuery(page: string): string {
  return page.split('?', 1)[0] ?? '';
}

function readNextVersion(): number | undefined {
  const next: unknown = Reflect.get(window, 'next');
  return isRecord(next) ? Number.parseInt(String(next['version']), 10) || undefined : undefined;
}

/** The request's id, as the proxy has named it. */
export function readNamedFlight(serverTiming: string | null): string | undefined {
  return /(?:^|,\s*)flight;desc="?([\da-f]{32})/.exec(serverTiming ?? '')?.[1];
}

export type PrefetchWatch = Required<Pick<PageListeners, 'onFetch' | 'onNavigation'>>;

/** What is known and not told yet. */
function createOutbox(address: string) {
  const used: string[] = [];
  const unused: string[] = [];
  const clicks: string[] = [];
  const links: ReportedLink[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function tell(): void {
    clearTimeout(timer);
    timer = undefined;
    // The fields are those of the receiver (src/flights/middleware/take-reported-use.ts).
    while (used.length + unused.length + clicks.length + links.length > 0) {
      const take = <T>(list: T[]): T[] => list.splice(0, mostTold);
      const told = { used: take(used), unused: take(unused), clicks: take(clicks), links: take(links) };
      navigator.sendBeacon(address, JSON.stringify(told));
    }
  }

  function tellSoon(): void {
    timer ??= setTimeout(tell, gatherMs);
  }

  return { used, unused, clicks, links, tell, tellSoon };
}

/** @param address where it is told */
export function watchPrefetches(address: string): PrefetchWatch {
  let kept: Ahead[] = [];
  const { used, unused, clicks, links, tell, tellSoon } = createOutbox(address);
  /** By page: whether the last click to it asked for all of it. */
  const whole = new Map<string, boolean>();
  /** Pages of Waku whose prefetch is on its way, and whether they are shown meanwhile. */
  const coming = new Map<string, boolean>();
  let shown = readPage(location.href);
  let requests = 0;
  /** By page that was clicked and is not shown yet: the click's request. What was asked for ahead after it brings nothing to it. */
  const clicked = new Map<string, number>();

  function isLate(page: string, order: number): boolean {
    return order > (clicked.get(page) ?? Infinity);
  }

  function forget(isOver: (one: Ahead) => boolean, to = unused): void {
    const over = kept.filter(isOver);
    if (over.length === 0) return;
    to.push(...over.map(({ id }) => id));
    kept = kept.filter((one) => !isOver(one));
    tellSoon();
  }

  function keep(
    { id, order, kind, at }: Pick<Ahead, 'id' | 'order' | 'at'> & { readonly kind: string },
    asked: string,
    link: FoundLink | undefined,
    page = asked,
  ): void {
    const key = `${kind} ${asked}`;
    // What was asked for again was thrown away meanwhile, but for what a click has found.
    const isFound = isLate(page, order);
    forget((one) => (one.key === key && !(isFound && !isLate(page, one.order))) || at - one.at > lifetimeMs);
    kept.push({ id, order, key, asked, page, at });
    if (link) {
      links.push([id, link.trigger, link.text, link.place]);
      tellSoon();
    }
    if (kept.length > mostKept) forget((first) => first === kept[0]);
  }

  function show(page: string): void {
    const now = performance.now();
    const isThere = (one: Ahead) =>
      one.page === page &&
      !one.key.startsWith(`${byBrowser} `) &&
      now - one.at < lifetimeMs &&
      !isLate(page, one.order);
    const asked = new Set(kept.filter(isThere).map((one) => one.asked));
    // Several links lead there, one of them by a redirect: the click says which.
    const link = asked.size > 1 ? findClicked(now) : undefined;
    if (link !== undefined && asked.has(link)) forget((one) => isThere(one) && one.asked === link, used);
    else forget(isThere, asked.size > 1 ? [] : used);
  }

  function takeWaku(page: string, isAhead: boolean, response: Promise<Response>): void {
    whole.set(page, !isAhead);
    if (!isAhead) return;
    const at = performance.now();
    const order = ++requests;
    const link = findLink(page, at);
    coming.set(page, false);
    void readAnswered(response, (id) => {
      keep({ id, order, kind: '', at }, page, link);
      if (coming.get(page)) show(page);
      coming.delete(page);
    });
  }

  function takeBrowsers(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) {
      if (!(entry instanceof PerformanceResourceTiming)) continue;
      const id = readFlightId(entry);
      if (id === undefined) continue;
      const page = readPage(entry.name);
      if (entry.initiatorType !== 'link') {
        forget((one) => one.id === id && one.key === `${byBrowser} ${page}`, used);
      } else if (kept.every((one) => one.id !== id)) {
        const at = entry.startTime;
        keep({ id, order: ++requests, kind: byBrowser, at }, page, findLink(page, at));
      }
    }
  }

  /** Until version 15 an action answers with all of the page to which it leads; from 16 on that has the frame of what was prefetched. */
  function leaveAction(page: string): void {
    const version = readNextVersion();
    if (version === undefined) forget((one) => one.page === page, []);
    else whole.set(page, version < 16);
  }

  watchLinks();
  new PerformanceObserver((list) => takeBrowsers(list.getEntries())).observe({ type: 'resource', buffered: true });
  addEventListener('pagehide', () => {
    forget(() => true);
    tell();
  });

  return {
    onFetch(input, { headers, priority }, response) {
      const etags = headers.get('x-waku-etags');
      const wakuPage = etags === null ? undefined : readWakuPage(input);
      if (wakuPage !== undefined) return takeWaku(wakuPage, etags === '{}', response);
      if (headers.has('next-action')) return void readRedirect(response, leaveAction);
      if (headers.get('rsc') !== '1') return;
      const page = readPage(input);
      const kind = `${headers.get('next-router-prefetch') ?? ''} ${headers.get('next-router-segment-prefetch') ?? ''}`;
      const rest = findRest(headers.get('next-router-state-tree'));
      const order = ++requests;
      if (kind !== ' ' || priority === 'low') {
        const link = findLink(page, performance.now());
        // What comes for a slot beside a page does not take the place of the page.
        const part = `${kind} ${rest ?? ''}`;
        void readAnswered(response, (id, redirectedTo) =>
          keep({ id, order, kind: part, at: performance.now() }, page, link, redirectedTo),
        );
        return;
      }
      whole.set(page, rest === undefined);
      if (priority === undefined) return;
      clicked.set(page, order);
      void readAnswered(response, (id) => {
        clicks.push(id);
        tellSoon();
      });
    },
    onNavigation(to, by) {
      const page = readPage(to);
      const isWhole = whole.get(page) ?? false;
      whole.delete(page);
      const isSamePath = withoutQuery(page) === withoutQuery(shown);
      shown = page;
      // Pages that are one behind a rewrite look the same, and of another query of its page a click asks all: what became of the
      // prefetch is left unknown.
      if (by === 'app' || (isWhole && isSamePath)) forget((one) => one.page === page, []);
      if (by === 'router' && !isWhole) {
        if (coming.has(page)) coming.set(page, true);
        show(page);
      }
      clicked.clear();
    },
  };
}

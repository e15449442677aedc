import { hash, randomBytes } from 'node:crypto';

import { createRequestId } from '#src/server/http/create-request-context.ts';

import { nextLifetimeMs } from '../../flight/prefetch-outcome.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import { rememberIn } from '../prepare.ts';
import {
  canBeAt,
  canHaveAsked,
  openDocument,
  show,
  type Ahead,
  type Asked,
  type OpenDocument,
} from './open-document.ts';
import { asksFrame, readAddress, readAsked, readKey, type Page } from './read-asked.ts';
import { readActionRedirect } from './read-origin.ts';
import { readTrace } from './read-trace.ts';

/**
 * Which requests of another app belong together. Its browsers do not name their tabs, so this is a guess, and docs/recording.md
 * says so.
 *
 * A visitor is whoever sends from one address with one browser, without half an hour between two requests. The address is not
 * written anywhere: it goes into a hash with random bytes of this process, which is a key in memory, and what is written is a
 * random number. A document begins a trace; what it asks for belongs to it. Where the request itself names a trace (W3C or
 * Sentry), that one counts.
 *
 * The same memory says which prefetches were used, as far as requests show it:
 * - a navigation of Next.js that asks for the rest of a page of which it has the frame: the frame is from a prefetch of that address, or
 *   from when the page was shown before;
 * - a request from a page that its document has prefetched, and never loaded: it is shown, so the prefetch was used.
 *   Of a request that may have been a click, this says that the page was shown, and not which of both it was.
 * Each counts for the document that asked, once. Where two documents of a visitor ask in turn, he has several tabs: then nothing
 * is said of either, and what was said is taken back.
 *
 * A prefetch is known to be unused where its use would have been seen: its page is rendered for each request, so that a click
 * goes to the server, and nobody went there while the browser kept it.
 *
 * Pages and navigations are told when they begin (`begin`): a page that is streamed ends after what it prefetches.
 */
export type Place = {
  readonly visit: string;
  readonly traceId: string;
  /** The page that asked; null where nothing says it. */
  readonly fromPath: string | null;
  readonly learnt: Learnt;
};

/** Request ids of prefetches. */
export type Learnt = {
  readonly used: readonly string[];
  /** It was said that they were used, and that is not known any more. */
  readonly doubtful: readonly string[];
  readonly unused: readonly string[];
};

type Followed = { readonly document: OpenDocument; readonly learnt: Learnt };
type Known = { readonly visitor: Visitor; readonly document: OpenDocument; readonly place: Place };

const nothingLearnt: Learnt = { used: [], doubtful: [], unused: [] };

const idleMs = 30 * 60_000;
/** A slow page: from its request to the last that the page before it asks for. */
const loadingMs = 3_000;
/** Visitors beyond that begin a new visit with their next request. */
const visitorsLimit = 2_000;
/** Tabs and reloads of half an hour; the oldest are forgotten. */
const documentsLimit = 8;
/** A page with more links than this is a list that nobody goes through. */
const pathsLimit = 300;
/** Of one page: Next.js sends three, for its tree, its head and itself. */
const keysLimit = 8;
/** Of all visitors: some 30 MB. Beyond it the visitor with most is forgotten: who sends most takes nothing from others. */
const prefetchesLimit = 100_000;
/** One visitor's documents hold no more. */
const prefetchesHeld = documentsLimit * pathsLimit * keysLimit;
const tracesLimit = 10_000;
/** Requests that began and have not ended. */
const begunLimit = 2_000;
type Visitor = {
  readonly visit: string;
  lastAt: number;
  /** Oldest first. */
  documents: OpenDocument[];
  /** When pages were last gone to, by any document. */
  readonly visited: Map<string, number>;
  /** What was prefetched before is thrown away by the browser: an action may have changed it. */
  freshSince: number;
  prefetches: number;
  /** Several documents have asked in turn: for some minutes a use is said only where no other one can have asked. */
  tabsUntil: number;
};

/** A prefetch whose time is running out. */
type Waiting = {
  readonly visitor: Visitor;
  readonly document: OpenDocument;
  readonly path: string;
  readonly one: Ahead;
};

/** Several documents ask in turn: nothing that was said of them is sure. */
function markParallel(documents: readonly OpenDocument[]): string[] {
  return documents.flatMap((one) => {
    one.isParallel = true;
    return one.credited.splice(0);
  });
}

/** Its page was there before it asked: a step back, or the page asks for itself again. */
function isInPlace({ isNavigation, origin, path }: Asked): boolean {
  return isNavigation && origin === path;
}

/** The newest that has shown the page. One that was loaded anew steps back to pages that it never had: then it is the newest of all. */
function findReturning({ documents }: Visitor, { path, at }: Asked): OpenDocument | undefined {
  const there = documents.filter(({ startedAt, goneAt }) => startedAt <= at && at < goneAt);
  return there.findLast(({ shown }) => shown.has(path)) ?? documents.at(-1);
}

/** A document that was just loaded has hardly come to another page: one that is at that page is more likely. */
function findThere(
  { documents, freshSince }: Visitor,
  asked: Asked,
  { page, movedAt, startedAt }: OpenDocument,
): OpenDocument | undefined {
  if (page === asked.origin || movedAt !== startedAt || asked.at - startedAt >= loadingMs) return undefined;
  return documents.findLast(
    (one) => one.page === asked.origin && !one.mayBeGone && canHaveAsked(one, asked, freshSince),
  );
}

/**
 * The newest that can have asked. While a page is loaded, the one before it is still there and prefetches: what the new one asks
 * for again in its first seconds is no sign of another tab.
 */
function findLikely(visitor: Visitor, asked: Asked): OpenDocument | undefined {
  const { documents, freshSince } = visitor;
  const last = documents.at(-1);
  if (asked.isReturn) return findReturning(visitor, asked);
  if (last && isInPlace(asked)) return last;
  // From where the new one was loaded: from another page it is the one before, or one that was not seen.
  const isLoading =
    last?.page === asked.origin && last.movedAt === last.startedAt && asked.at - last.startedAt < loadingMs;
  if (isLoading && canHaveAsked(last, { ...asked, key: undefined }, freshSince)) return last;
  const newest = documents.findLast((one) => canHaveAsked(one, asked, freshSince));
  if (newest) return findThere(visitor, asked, newest) ?? newest;
  if (!asked.hasFrame) return undefined;
  // Its page may have come without a request: then the frame says which document it is, if only one has it.
  const withFrame = documents.filter((one) => canHaveAsked(one, { ...asked, origin: null }, freshSince));
  return withFrame.length === 1 ? withFrame[0] : undefined;
}

/** The document that asks, and what is in doubt because an older one does. */
function findSender(visitor: Visitor, asked: Asked): { sender: OpenDocument | undefined; doubtful: string[] } {
  const sender = findLikely(visitor, asked);
  if (!sender) return { sender: undefined, doubtful: [] };
  const newer = visitor.documents.slice(visitor.documents.indexOf(sender) + 1);
  const meanwhile = newer.filter((one) => one.hasAsked && asked.at < one.goneAt && one.startedAt < asked.at);
  if (meanwhile.length === 0) return { sender, doubtful: [] };
  visitor.tabsUntil = asked.at + nextLifetimeMs;
  return { sender, doubtful: markParallel([sender, ...meanwhile]) };
}

function toAhead(facts: ExchangeFacts, page: Page): Ahead {
  const { requestId, startedAt } = facts;
  const isEither = page.kind === 'navigation-or-prefetch';
  return {
    requestId,
    key: readKey(facts),
    address: readAddress(facts),
    startedAt,
    isFrame: asksFrame(facts, page),
    isEither,
    isUsed: false,
  };
}

/** Others that can have asked as well. */
function findRivals({ documents, freshSince }: Visitor, sender: OpenDocument, asked: Asked): OpenDocument[] {
  return documents.filter((one) => one !== sender && canHaveAsked(one, asked, freshSince));
}

/** A document on that page asks for what each that can be there has already. */
function isRepeated({ documents, freshSince }: Visitor, asked: Asked): boolean {
  const isThere = (one: OpenDocument) => canHaveAsked(one, { ...asked, key: undefined }, freshSince);
  return asked.key !== undefined && documents.some(isThere);
}

function open(visitor: Visitor, facts: ExchangeFacts, page: string | null): OpenDocument {
  const traceId = readTrace(facts.requestHeaders) ?? createRequestId(facts.startedAt);
  const document = openDocument(facts.requestId, { page, traceId, at: facts.startedAt });
  visitor.documents = [...visitor.documents, document].slice(-documentsLimit);
  return document;
}

/** Of a document that has ended, or of one page: what nobody can use any more, where a use would have been seen. */
function listUnused(visitor: Visitor, document: OpenDocument, path: string, ones: readonly Ahead[]): string[] {
  const isSeen = document.prefetched.get(path)?.every(({ isFrame }) => isFrame) ?? false;
  if (!isSeen) return [];
  // A click overtakes what waits for a connection: of what began just after it, nothing is known.
  const visitedAt = visitor.visited.get(path) ?? -Infinity;
  const unused = ones.filter((one) => !one.isUsed && visitedAt + loadingMs <= one.startedAt);
  // Not said twice.
  for (const one of unused) one.isUsed = true;
  return unused.map(({ requestId }) => requestId);
}

/**
 * A reload says that it wants no copy of the page at which it is: the document that is there has ended. Where none is known to be
 * there, one came there by a click that asked for nothing.
 */
function closeReloaded(visitor: Visitor, { requestHeaders, startedAt }: ExchangeFacts, path: string): Learnt {
  if (!/\b(?:max-age=0|no-cache)\b/.test(requestHeaders['cache-control'] ?? '')) return nothingLearnt;
  const alive = visitor.documents.filter((one) => one.goneAt === Infinity);
  const there = alive.filter((one) => one.page === path);
  // Of several tabs, whichever was loaded anew.
  const candidates = alive.filter((one) => canBeAt(one, path, startedAt));
  if (there.length > 1 || (startedAt < visitor.tabsUntil && candidates.length > 1)) return nothingLearnt;
  const [only] = there;
  const last = visitor.documents.at(-1);
  const closed = only ?? candidates.find((one) => one === last);
  if (!closed) return nothingLearnt;
  const used = closed === only ? [] : show(closed, path, startedAt, { type: 'silent' });
  closed.goneAt = startedAt;
  // It may have come there unseen, and be the one.
  if (last && closed !== last && candidates.includes(last)) last.mayBeGone = true;
  const unused = [...closed.prefetched].flatMap(([to, ones]) => listUnused(visitor, closed, to, ones));
  return { used, doubtful: [], unused };
}

/**
 * No document that is known can have asked: there is one that was not seen, because the browser had a copy of it (a step back).
 * What its page seemed to say of the document before is not so.
 */
function openUnseen(visitor: Visitor, facts: ExchangeFacts, origin: string | null): Followed {
  const before = visitor.documents.at(-1);
  const doubtful = before && before.page === origin ? before.credited.splice(before.creditedBefore) : [];
  if (before) before.goneAt = facts.startedAt;
  return { document: open(visitor, facts, origin), learnt: { ...nothingLearnt, doubtful } };
}

/** A request comes from a page: its document is there, and goes to another one if it is a navigation. */
function follow(visitor: Visitor, facts: ExchangeFacts, asked: Asked): Followed {
  const { origin, path, address, hasFrame, isNavigation, at } = asked;
  const { sender, doubtful } = findSender(visitor, asked);
  const document = sender ?? visitor.documents.at(-1);
  if (!document || (!sender && isRepeated(visitor, asked))) return openUnseen(visitor, facts, origin);
  if (document.startedAt < at) document.hasAsked = true;
  const used: string[] = [];
  const isMoved = origin !== null && origin !== document.page && at >= document.movedAt;
  const rivals = sender && !isInPlace(asked) ? findRivals(visitor, document, asked) : [];
  const there = rivals.filter(({ page, mayBeGone }) => page === origin && !mayBeGone);
  // The first that it does would be to come to just the page at which another one is: it is the other one.
  const isFirst = isMoved && document.movedAt === document.startedAt;
  if (isFirst && there.length > 0) doubtful.push(...markParallel([document, ...there]));
  const isSure = sender !== undefined && !isInPlace(asked) && !(at < visitor.tabsUntil && rivals.length > 0);
  if (isMoved) used.push(...show(document, origin, at, { type: isSure ? 'silent' : 'whole' }));
  if (isNavigation && origin !== path) {
    used.push(...show(document, path, at, hasFrame && isSure ? { type: 'frame', address } : { type: 'whole' }));
  }
  return { document, learnt: { used, doubtful, unused: [] } };
}

function arrive(visitor: Visitor, facts: ExchangeFacts, { kind, path }: Page, asked: Asked): Followed {
  if (kind !== 'document') return follow(visitor, facts, asked);
  const learnt = closeReloaded(visitor, facts, path);
  return { document: open(visitor, facts, path), learnt };
}

function toKey(salt: Buffer, { peer, requestHeaders: headers }: ExchangeFacts): string {
  const parts = [peer, headers['x-forwarded-for'], headers['user-agent'], headers['accept-language']];
  return hash('sha256', Buffer.concat([salt, Buffer.from(JSON.stringify(parts))]));
}

export function createVisits() {
  const salt = randomBytes(16);
  const visitors = new Map<string, Visitor>();
  const visitOfTrace = new Map<string, string>();
  const begun = new Map<string, Place>();
  const waiting: Waiting[] = [];
  let prefetches = 0;

  function findKnown(key: string, { startedAt }: ExchangeFacts): Visitor | undefined {
    const known = visitors.get(key);
    return known && startedAt - known.lastAt < idleMs ? known : undefined;
  }

  function findVisitor(facts: ExchangeFacts): Visitor {
    const { startedAt } = facts;
    const key = toKey(salt, facts);
    const known = findKnown(key, facts);
    const visitor = known
      ? known
      : {
          visit: randomBytes(16).toString('hex'),
          lastAt: startedAt,
          documents: [],
          visited: new Map<string, number>(),
          freshSince: 0,
          prefetches: 0,
          tabsUntil: 0,
        };
    visitor.lastAt = Math.max(visitor.lastAt, startedAt);
    if (!known) forget(key);
    visitors.delete(key);
    visitors.set(key, visitor);
    const [oldest] = visitors.keys();
    if (visitors.size > visitorsLimit && oldest !== undefined) forget(oldest);
    return visitor;
  }

  function forget(key: string): void {
    prefetches -= visitors.get(key)?.prefetches ?? 0;
    visitors.delete(key);
  }

  function forgetMost(): void {
    const most = [...visitors].reduce((one, other) => (other[1].prefetches > one[1].prefetches ? other : one));
    forget(most[0]);
  }

  function remember(visitor: Visitor, document: OpenDocument, path: string, one: Ahead): void {
    const known = document.prefetched.get(path) ?? [];
    rememberIn(document.prefetched, path, [...known, one].slice(-keysLimit), pathsLimit);
    if (visitor.prefetches < prefetchesHeld) {
      visitor.prefetches += 1;
      prefetches += 1;
    }
    waiting.push({ visitor, document, path, one });
    if (waiting.length > prefetchesLimit) waiting.shift();
    if (prefetches > prefetchesLimit) forgetMost();
  }

  function findOutdated(now: number): string[] {
    const end = waiting.findIndex(({ one }) => now - one.startedAt < nextLifetimeMs);
    if (end === 0) return [];
    const over = waiting.splice(0, end === -1 ? waiting.length : end);
    return over.flatMap(({ visitor, document, path, one }) => listUnused(visitor, document, path, [one]));
  }

  function look(facts: ExchangeFacts, page: Page): Known {
    const { kind, path } = page;
    const visitor = findVisitor(facts);
    const asked = readAsked(facts, page);
    const { document, learnt } = arrive(visitor, facts, page, asked);
    const isEither = kind === 'navigation-or-prefetch';
    const isGoing = isEither || kind === 'navigation' || kind === 'document';
    if (isGoing) rememberIn(visitor.visited, path, asked.at, pathsLimit);
    if (isEither) remember(visitor, document, path, toAhead(facts, page));
    const sentTo = kind === 'action' ? readActionRedirect(facts.responseHeaders) : undefined;
    if (sentTo !== undefined) show(document, sentTo, asked.at + facts.durationMs, { type: 'whole' });
    // It may have changed what was prefetched: the browser throws that away.
    if (kind === 'action' || (asked.isNavigation && asked.origin === path)) visitor.freshSince = asked.at;
    const traceId = readTrace(facts.requestHeaders) ?? document.traceId;
    const visit = visitOfTrace.get(traceId) ?? visitor.visit;
    rememberIn(visitOfTrace, traceId, visit, tracesLimit);
    // Some routers change the address before they ask. Then nothing says where the navigation began.
    const isThere = asked.isNavigation && asked.origin === path;
    return { visitor, document, place: { visit, traceId, fromPath: isThere ? null : asked.origin, learnt } };
  }

  return {
    /** Of a file: what asks for it is no step of a visit. The page is the visitor's newest. Undefined where nobody loaded one. */
    find(facts: ExchangeFacts): Place | undefined {
      const visitor = findKnown(toKey(salt, facts), facts);
      const document = visitor?.documents.at(-1);
      if (!visitor || !document) return undefined;
      const { traceId } = document;
      const visit = visitOfTrace.get(traceId) ?? visitor.visit;
      return { visit, traceId, fromPath: document.page, learnt: nothingLearnt };
    },
    /** To be called when a page or a navigation begins. */
    begin(facts: ExchangeFacts, page: Page): Learnt {
      const { place } = look(facts, page);
      rememberIn(begun, facts.requestId, { ...place, learnt: nothingLearnt }, begunLimit);
      return place.learnt;
    },
    /** To be called once for each request of an app, in the order in which they ended. */
    place(facts: ExchangeFacts, page: Page): Place {
      const known = begun.get(facts.requestId);
      begun.delete(facts.requestId);
      if (known) return known;
      const { visitor, document, place } = look(facts, page);
      const { startedAt, status, outcome } = facts;
      if (page.kind === 'prefetch' && outcome === 'complete' && status < 400) {
        remember(visitor, document, page.path, toAhead(facts, page));
      }
      const outdated = findOutdated(startedAt);
      return { ...place, learnt: { ...place.learnt, unused: [...place.learnt.unused, ...outdated] } };
    },
  };
}

import { nextLifetimeMs } from '../../flight/prefetch-outcome.ts';

/**
 * One document of another app in one browser: where it is, what it has shown, and what it has prefetched. A click on a link whose
 * page was prefetched whole sends nothing, so where a document is has to be read from the `Referer` of what it asks next.
 *
 * A document forgets nothing that it prefetched for some minutes: so it does not ask for the same twice, and a request that
 * repeats one is of another document. That, and where a document can be, tells the tabs of one visitor apart as far as it goes.
 * Next.js 15 may repeat one after a click: then what was used is not found, and nothing false is said.
 */
export type Ahead = {
  readonly requestId: string;
  /** What was asked for: of one link there may be several. */
  readonly key: string;
  /** With its query. */
  readonly address: string;
  readonly startedAt: number;
  /** A click goes to the server all the same: the page is rendered for each request, and only its frame is prefetched. */
  readonly isFrame: boolean;
  /** Nothing says whether it was a prefetch or a click. */
  readonly isEither: boolean;
  isUsed: boolean;
};

export type OpenDocument = {
  readonly requestId: string;
  readonly traceId: string;
  readonly startedAt: number;
  /** Where it is, as far as its requests say, and since when. */
  page: string | null;
  movedAt: number;
  /** It has asked for something. Until then the document before it may still be on the screen, and ask. */
  hasAsked: boolean;
  /** Since when it was loaded anew. What it asked for before may end later. */
  goneAt: number;
  /** It or another one was loaded anew. */
  mayBeGone: boolean;
  /** Another document of this visitor asks meanwhile: what was used is unknown. */
  isParallel: boolean;
  readonly shown: Set<string>;
  readonly prefetched: Map<string, Ahead[]>;
  /** Prefetches that were said to be used, and how many of them before it came to its page. */
  readonly credited: string[];
  creditedBefore: number;
};

export type Asked = {
  /** The page that asks; null where nothing says it. */
  readonly origin: string | null;
  readonly path: string;
  /** With its query. */
  readonly address: string;
  readonly isNavigation: boolean;
  /** It comes from the page that it asks for, and a click of its router would not: a step back, or the page is asked for anew. */
  readonly isReturn: boolean;
  /** Of a prefetch. */
  readonly key: string | undefined;
  /** It is a navigation that shows the frame of its page, from a prefetch. */
  readonly hasFrame: boolean;
  readonly at: number;
};

export function openDocument(
  requestId: string,
  { page, traceId, at }: { readonly page: string | null; readonly traceId: string; readonly at: number },
): OpenDocument {
  return {
    requestId,
    traceId,
    startedAt: at,
    page,
    movedAt: at,
    hasAsked: false,
    goneAt: Infinity,
    mayBeGone: false,
    isParallel: false,
    shown: new Set(page === null ? [] : [page]),
    prefetched: new Map(),
    credited: [],
    creditedBefore: 0,
  };
}

function isInTime({ startedAt }: Ahead, at: number): boolean {
  return startedAt < at && at - startedAt < nextLifetimeMs;
}

function hasPrefetched(document: OpenDocument, path: string, at: number): boolean {
  return document.prefetched.get(path)?.some((one) => isInTime(one, at)) ?? false;
}

/** A click shows the page and asks for nothing: all of it was prefetched. */
function canShowSilently(document: OpenDocument, page: string, at: number): boolean {
  return document.prefetched.get(page)?.some((one) => !one.isFrame && isInTime(one, at)) ?? false;
}

/** Whether it can be on this page, by a click or a step back. */
export function canBeAt(document: OpenDocument, page: string | null, at: number): boolean {
  return page === null || document.shown.has(page) || canShowSilently(document, page, at);
}

/** Whether it has what was asked for: then it would not ask. @param since what was prefetched before it was thrown away */
function hasIt(document: OpenDocument, { path, key, at }: Asked, since: number): boolean {
  if (key === undefined) return false;
  const known = document.prefetched.get(path) ?? [];
  return known.some((one) => one.key === key && one.startedAt > since && isInTime(one, at));
}

export function canHaveAsked(document: OpenDocument, asked: Asked, since: number): boolean {
  const { origin, path, hasFrame, at } = asked;
  if (at >= document.goneAt || document.startedAt > at) return false;
  if (!canBeAt(document, origin, at) || hasIt(document, asked, since)) return false;
  return !hasFrame || document.shown.has(path) || hasPrefetched(document, path, at);
}

/**
 * The newest prefetches of a page, each once: those that a click shows. If there is a request that may have been a click, it is what
 * brought the page, in either case: a click asked for all of it, a prefetch had all of it. A click on the frame of a page shows no other,
 * and none of another query.
 */
function takeUsed(document: OpenDocument, path: string, at: number, how: How): string[] {
  const newest = new Map<string, Ahead>();
  for (const one of document.prefetched.get(path) ?? []) if (isInTime(one, at)) newest.set(one.key, one);
  const shown = [...newest.values()].filter(({ address }) => how.type !== 'frame' || address === how.address);
  const hasEither = how.type === 'silent' && shown.some(({ isEither }) => isEither);
  const used = shown.filter(({ isUsed, isEither }) => !isUsed && isEither === hasEither);
  for (const one of used) one.isUsed = true;
  return used.map(({ requestId }) => requestId);
}

/** `frame`: it asked for the rest of what it has. `whole`: for all of it. `silent`: for nothing. */
export type How = { readonly type: 'frame'; readonly address: string } | { readonly type: 'whole' | 'silent' };

/**
 * The document shows a page. One that it has shown before may be there by a step back, or has its frame from then.
 * @returns the prefetches that this shows to have been used
 */
export function show(document: OpenDocument, path: string, at: number, how: How): string[] {
  const wasShown = document.shown.has(path);
  document.shown.add(path);
  if (at >= document.movedAt) {
    document.page = path;
    document.movedAt = at;
    document.creditedBefore = document.credited.length;
  }
  if (how.type === 'whole' || wasShown || document.isParallel) return [];
  const used = takeUsed(document, path, at, how);
  document.credited.push(...used);
  return used;
}

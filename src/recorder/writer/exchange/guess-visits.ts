import { hash, randomBytes } from 'node:crypto';

import { createRequestId } from '#src/http/create-request-context.ts';

import type { StoredFlight } from '../../flight-columns.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import { rememberIn } from '../prepare.ts';
import { readNextTree } from './read-next-tree.ts';
import { readOrigin } from './read-origin.ts';

/**
 * Which requests of another app belong together. Its browsers do not name their tabs, so this is a guess, and docs/recording.md
 * says so.
 *
 * A visitor is whoever sends from one address with one browser, without half an hour between two requests. The address is not
 * written anywhere: it goes into a hash with random bytes of this process, which is a key in memory, and what is written is a
 * random number. A document begins a trace; what names its page as `Referer` belongs to it. Where the request itself names a
 * trace (W3C or Sentry), that one counts.
 *
 * The same memory says which prefetches were used, as far as requests show it:
 * - a navigation of Next.js that asks for the rest of a page of which it has the frame: the frame is from a prefetch;
 * - a request from a page (its `Referer`) that this visitor has prefetched, and never loaded: it is shown, so the prefetch was used.
 * Nothing shows that a prefetch was not used.
 */
export type Place = {
  readonly visit: string;
  readonly traceId: string;
  /** Paths whose prefetches were used, as this request shows. */
  readonly shown: readonly string[];
  /** The page that asked; null where nothing says it. */
  readonly fromPath: string | null;
};

type Page = { readonly kind: StoredFlight['kind']; readonly path: string };

const idleMs = 30 * 60_000;
/** Each is a few kilobytes. Visitors beyond that begin a new visit with their next request. */
const visitorsLimit = 2_000;
const pathsLimit = 50;
const tracesLimit = 10_000;
/** How long Next.js shows a prefetched frame before it asks for all of it again: the longest of its default times. */
const frameMs = 5 * 60_000;

type Visitor = {
  readonly visit: string;
  lastAt: number;
  /** Of the newest document. */
  traceId: string;
  /** Pages that this visitor loaded, and the trace of each. */
  readonly loaded: Map<string, string>;
  /** When pages were prefetched last. */
  readonly prefetched: Map<string, number>;
};

const hex32 = /^[0-9a-f]{32}$/;

function readTrace(headers: Readonly<Record<string, string>>): string | undefined {
  const [, w3c] = (headers['traceparent'] ?? '').split('-');
  const [sentry] = (headers['sentry-trace'] ?? '').split('-');
  const baggage = /(?:^|,)\s*sentry-trace_id=([0-9a-f]{32})/.exec(headers['baggage'] ?? '')?.[1];
  return [w3c, sentry, baggage].find((id) => id !== undefined && hex32.test(id));
}

export function createVisits() {
  const salt = randomBytes(16);
  const visitors = new Map<string, Visitor>();
  const visitOfTrace = new Map<string, string>();

  function findVisitor({ peer, requestHeaders: headers, startedAt }: ExchangeFacts): Visitor {
    const parts = [peer, headers['x-forwarded-for'], headers['user-agent'], headers['accept-language']];
    const key = hash('sha256', Buffer.concat([salt, Buffer.from(JSON.stringify(parts))]));
    const known = visitors.get(key);
    const isBack = known && startedAt - known.lastAt < idleMs;
    const visitor = isBack
      ? known
      : {
          visit: randomBytes(16).toString('hex'),
          lastAt: startedAt,
          traceId: createRequestId(startedAt),
          loaded: new Map<string, string>(),
          prefetched: new Map<string, number>(),
        };
    visitor.lastAt = Math.max(visitor.lastAt, startedAt);
    rememberIn(visitors, key, visitor, visitorsLimit);
    return visitor;
  }

  function findTrace(visitor: Visitor, facts: ExchangeFacts, isDocument: boolean, origin: string | null): string {
    const named = readTrace(facts.requestHeaders);
    if (named !== undefined) return named;
    if (isDocument) return createRequestId(facts.startedAt);
    return (origin === null ? undefined : visitor.loaded.get(origin)) ?? visitor.traceId;
  }

  function findShown(visitor: Visitor, facts: ExchangeFacts, { kind, path }: Page, origin: string | null): string[] {
    const shown: string[] = [];
    if (origin !== null && !visitor.loaded.has(origin)) {
      if ((visitor.prefetched.get(origin) ?? facts.startedAt) < facts.startedAt) shown.push(origin);
    }
    if (kind !== 'navigation' || origin === path) return shown;
    const prefetchedAt = visitor.prefetched.get(path);
    const isRecent = prefetchedAt !== undefined && facts.startedAt - prefetchedAt < frameMs;
    if (isRecent && readNextTree(facts.requestHeaders['next-router-state-tree'])?.hasRefetch) shown.push(path);
    return shown;
  }

  return {
    /** To be called once for each request of an app, in the order in which they ended. */
    place(facts: ExchangeFacts, kind: StoredFlight['kind'], path: string): Place {
      const visitor = findVisitor(facts);
      const origin = readOrigin(facts.requestHeaders);
      const traceId = findTrace(visitor, facts, kind === 'document', origin);
      const shown = findShown(visitor, facts, { kind, path }, origin);
      if (kind === 'document') visitor.traceId = traceId;
      if (kind === 'document' || kind === 'navigation') rememberIn(visitor.loaded, path, traceId, pathsLimit);
      if (kind === 'prefetch') rememberIn(visitor.prefetched, path, facts.startedAt, pathsLimit);
      for (const page of shown) {
        visitor.prefetched.delete(page);
        rememberIn(visitor.loaded, page, traceId, pathsLimit);
      }
      const visit = visitOfTrace.get(traceId) ?? visitor.visit;
      rememberIn(visitOfTrace, traceId, visit, tracesLimit);
      // Some routers change the address before they ask. Then nothing says where the navigation began.
      const isThere = kind === 'navigation' && origin === path;
      return { visit, traceId, shown, fromPath: isThere ? null : origin };
    },
  };
}

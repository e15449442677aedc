import { flightAsPage, judgeCookie, judgeTwoBodies, type AnswerHeaders, type CacheFault, type Caching } from '#flight';

import type { FlightHead } from '../flight/flight-head.ts';
import { parseCaching } from '../flight/parse-caching.ts';
import { rememberIn } from './prepare.ts';

/** Pages of all apps of which page and payload are compared. */
const pagesLimit = 2_000;
/** What an app tells caches is the same for most of its answers; where it has an `age`, it is the same for a while. */
const parsedLimit = 500;

function toHeaders({ headers }: Caching): AnswerHeaders {
  return { get: (name) => headers[name] ?? null };
}

/** The newest answers of one address: as a page, and as a payload. */
type Sides = { readonly page: Caching | undefined; readonly payload: Caching | undefined };

/**
 * Judges what answers tell caches. Page and payload of one address are two answers: what was seen of the other is remembered.
 */
export function createCacheFaults() {
  const addresses = new Map<string, Sides>();
  const parsed = new Map<string, Caching | undefined>();

  function parse(json: string): Caching | undefined {
    if (parsed.has(json)) return parsed.get(json);
    const caching = parseCaching(json);
    rememberIn(parsed, json, caching, parsedLimit);
    return caching;
  }

  function judgeSides(key: string, caching: Caching): CacheFault | undefined {
    const { askedBy } = caching;
    // A payload with an address of its own.
    if (askedBy?.length === 0) return undefined;
    const before = addresses.get(key);
    const page = askedBy === null ? caching : before?.page;
    const payload = askedBy === null ? before?.payload : caching;
    rememberIn(addresses, key, { page, payload }, pagesLimit);
    return page && payload && judgeTwoBodies(toHeaders(page), toHeaders(payload), payload.askedBy ?? []);
  }

  return function findCacheFaults({ app, path, kind, content, caching: json }: FlightHead): CacheFault[] {
    const caching = json === null ? undefined : parse(json);
    if (!caching) return [];
    if (caching.askedBy === null && kind !== 'document') return content === 'flight' ? [flightAsPage] : [];
    const found = [judgeSides(`${app} ${path}`, caching), judgeCookie(toHeaders(caching), caching.setsCookie)];
    return found.filter((fault) => fault !== undefined);
  };
}

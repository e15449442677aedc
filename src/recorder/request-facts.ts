import {
  prefetchHeader,
  prefetchTriggers,
  saveHeader,
  usedAtOnce,
  usedHeader,
  visitHeader,
} from '#src/http/flight-headers.ts';
import { etagsHeader, flightUrlPattern } from '#src/http/waku-addresses.ts';
import { encodeText } from '#src/http/encode-text.ts';
import type { RequestHeaders, RequestKind } from '#src/http/request-context.ts';

import type { FlightHead } from './flight-head.ts';
import { isSecretName } from './writer/secret-names.ts';

/** What a recording keeps of a request's URL and headers: names and ids, no values. It comes from outside, so it is bounded. */
const idPattern = /^[0-9a-f]{32}$/;

/** Node takes 16 KiB of headers in all. A page has a root, some layouts, itself and its slices. */
const elementsLimit = 100;
const elementIdLimit = 300;
const queryNamesLimit = 50;
const queryNameLimit = 100;

/** The tab that the request says it comes from. */
export function readNamedVisit(headers: RequestHeaders): string | null {
  const text = headers.get(visitHeader);
  return text !== null && idPattern.test(text) ? text : null;
}

/** What made the browser prefetch, as our own runtime says it; of a navigation, whether it measures a save. */
export function readTrigger(kind: RequestKind, headers: RequestHeaders): FlightHead['trigger'] {
  if (kind === 'navigation') return headers.has(saveHeader) ? 'save' : null;
  if (kind !== 'prefetch') return null;
  const text = headers.get(prefetchHeader);
  return prefetchTriggers.find((word) => word === text) ?? null;
}

/** The ids in the text that browsers send, with `,` between them. Anything that is not an id is ignored. */
export function readRequestIds(text: string | null, limit: number = usedAtOnce): string[] {
  if (text === null || text === '') return [];
  return text
    .slice(0, limit * 33)
    .split(',')
    .filter((id) => idPattern.test(id));
}

export function readUsed(headers: RequestHeaders): string[] {
  return readRequestIds(headers.get(usedHeader));
}

/** The parts of the page that the browser said it has: the response leaves those out that have not changed. */
export function readKnownElements(headers: RequestHeaders): string[] {
  const text = headers.get(etagsHeader);
  if (text === null || text === '{}') return [];
  let etags: unknown;
  try {
    etags = JSON.parse(text);
  } catch {
    // Waku, too, treats it as missing.
    return [];
  }
  if (typeof etags !== 'object' || etags === null) return [];
  return Object.keys(etags)
    .slice(0, elementsLimit)
    .filter((id) => id.length <= elementIdLimit);
}

export type QueryFacts = {
  /** `page&sort`, in order, each once. */
  readonly names: string;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
};

/** Of the page's query; in the address of a payload it is a parameter of its own. */
export function readQuery(url: string): QueryFacts {
  const at = url.indexOf('?');
  if (at === -1) return { names: '', secrets: [] };
  const search = new URLSearchParams(url.slice(at));
  const query = flightUrlPattern.test(url) ? new URLSearchParams(search.get('query') ?? '') : search;
  const entries = [...query].slice(0, queryNamesLimit);
  return {
    names: [...new Set(entries.map(([name]) => encodeText(name.slice(0, queryNameLimit))))].join('&'),
    secrets: entries.flatMap(([name, value]) => (isSecretName(name) ? { name, value } : [])),
  };
}

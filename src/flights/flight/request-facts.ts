import {
  prefetchHeader,
  prefetchTriggers,
  saveHeader,
  usedAtOnce,
  usedHeader,
  visitHeader,
} from '#src/server/http/flight-headers.ts';
import { etagsHeader, flightUrlPattern } from '#src/server/http/waku-addresses.ts';
import { encodeText } from '#src/server/http/encode-text.ts';
import type { RequestHeaders } from '#src/server/http/request-context.ts';

import type { FlightHead } from './flight-head.ts';
import { isQueryFlag } from '#src/server/http/query-flag.ts';

import { isSecretName } from './secret-names.ts';

/** What a recording keeps of a request's URL and headers: names and ids, no values. It comes from outside, so it is bounded. */
const idPattern = /^[0-9a-f]{32}$/;

/** Node takes 16 KiB of headers in all. A page has a root, some layouts, itself and its slices. */
const elementsLimit = 100;
const elementIdLimit = 300;
const queryNamesLimit = 50;
const queryNameLimit = 100;
/** Stands for a value that has no name. */
const filtered = '[Filtered]';

/** The tab that the request says it comes from. */
export function readNamedVisit(headers: RequestHeaders): string | null {
  const text = headers.get(visitHeader);
  return text !== null && idPattern.test(text) ? text : null;
}

/** What made the browser prefetch, as our own runtime says it; of a navigation, whether it measures a save. */
export function readTrigger(kind: FlightHead['kind'], headers: RequestHeaders): FlightHead['trigger'] {
  if (kind === 'navigation') return headers.has(saveHeader) ? 'save' : null;
  if (kind !== 'prefetch') return null;
  const text = headers.get(prefetchHeader);
  return prefetchTriggers.find((word) => word === text) ?? null;
}

export function isRequestId(text: string): boolean {
  return idPattern.test(text);
}

/** The ids in the text that browsers send, with `,` between them. Anything that is not an id is ignored. */
export function readRequestIds(text: string | null, limit: number = usedAtOnce): string[] {
  if (text === null || text === '') return [];
  return text
    .slice(0, limit * 33)
    .split(',')
    .filter(isRequestId);
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

/** Reads the page's query; in the address of a payload it is a parameter of its own. */
export function readQuery(url: string): QueryFacts {
  const at = url.indexOf('?');
  if (at === -1) return { names: '', secrets: [] };
  const search = new URLSearchParams(url.slice(at));
  const query = flightUrlPattern.test(url) ? new URLSearchParams(search.get('query') ?? '') : search;
  const entries = [...query].slice(0, queryNamesLimit);
  // `?9fK2x81` is read as a name without a value.
  const named = entries.map(([name, value]) => {
    return value === '' && !isQueryFlag(name) ? { name: '', value: name } : { name, value };
  });
  const names = named.map(({ name }) => encodeText(name === '' ? filtered : name.slice(0, queryNameLimit)));
  return {
    names: [...new Set(names)].join('&'),
    secrets: named.filter(({ name }) => name === '' || isSecretName(name)),
  };
}

import { cachingHeaders, readCaching, recordOf, type Framework } from '#flight';

import type { StoredFlight } from '../../flight/flight-columns.ts';
import type { ExchangeFacts } from '../../watch/exchange.ts';
import { isPageRequest } from '../../watch/is-worth-watching.ts';
import { frameworkParameters, toPath } from '../../watch/look-at-request.ts';

/** Only the names of headers are asked for, and a hash is in none of them. */
const noHash = () => new Uint8Array(32);

/** The headers by which a client of this framework asks for a payload, in lower case. */
function listAskingHeaders(framework: Framework | null): string[] {
  const asked = framework && recordOf(framework).askPayload?.('http://app/', noHash);
  return (asked?.headers ?? []).map(([name]) => name.toLowerCase());
}

/** Whether page and payload have one address: neither the path nor the query says which is wanted. */
function isAtPage({ target, look }: ExchangeFacts): boolean {
  if (toPath(target) !== look.path) return false;
  const at = target.indexOf('?');
  const names = at === -1 ? [] : [...new URLSearchParams(target.slice(at)).keys()];
  return !names.some((name) => frameworkParameters.has(name));
}

/** A person opens the file of a payload by its name, as a static export has them. */
const fileName = /\.[a-z0-9]{1,10}$/i;

function wantsPage({ look, requestHeaders }: ExchangeFacts, kind: StoredFlight['kind']): boolean {
  if (kind === 'document') return true;
  return look.kind === null && isPageRequest(requestHeaders) && !fileName.test(look.path);
}

/** What an answer tells caches, as JSON for the recording; null where it says nothing, and of what no cache keeps. */
export function describeCaching(
  facts: ExchangeFacts,
  kind: StoredFlight['kind'],
  framework: Framework | null,
): string | null {
  const { method, requestHeaders, responseHeaders } = facts;
  if (method !== 'GET') return null;
  const headers = Object.fromEntries(
    cachingHeaders.flatMap((name) => {
      const value = responseHeaders[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const setsCookie = 'set-cookie' in responseHeaders;
  const isPage = wantsPage(facts, kind);
  if (Object.keys(headers).length === 0 && !setsCookie && (!isPage || kind === 'document')) return null;
  const asking = isAtPage(facts) ? listAskingHeaders(framework).filter((name) => name in requestHeaders) : [];
  return JSON.stringify(readCaching({ headers, setsCookie, askedBy: isPage ? null : asking }));
}

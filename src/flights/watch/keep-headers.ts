import { cachingHeaders } from '#flight';
import { actionHeader } from '#src/server/http/flight-headers.ts';
import { actionRouteHeader, etagsHeader, skipHeader } from '#src/server/http/waku-addresses.ts';

/** The headers by which the writer recognises, in lower case; what else a request has is not looked at. */
const ofRequest = new Set([
  actionHeader,
  actionRouteHeader,
  etagsHeader,
  skipHeader,
  'accept',
  'accept-language',
  'baggage',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'next-action',
  'next-router-prefetch',
  'next-router-segment-prefetch',
  'next-router-state-tree',
  'next-url',
  'priority',
  'purpose',
  'referer',
  'rsc',
  'rsc-action-id',
  'sec-fetch-dest',
  'sec-purpose',
  'sentry-trace',
  'traceparent',
  'upgrade',
  'user-agent',
  'x-deployment-id',
  'x-forwarded-for',
  'x-prefetch',
  'x-rsc-action',
]);
const ofCaches: ReadonlySet<string> = new Set(cachingHeaders);
/** Who reads a request as the web does sees all of its types, and frameworks look for a form's anywhere in them. */
const listedInRequests: ReadonlySet<string> = new Set([...cachingHeaders, 'content-type']);
const ofResponse = new Set([
  ...cachingHeaders,
  'content-encoding',
  'content-length',
  'content-type',
  'set-cookie',
  'x-action-redirect',
  'x-nextjs-action-not-found',
  'x-nextjs-deployment-id',
  'x-nextjs-postponed',
  'x-nextjs-prerender',
]);
/** The longest is Next's tree of segments, some hundred bytes for each. */
export const longestValue = 8 * 1024;

/** @param before what the same header said already. Lists may come in several lines (RFC 9110, 5.3); of others the first counts. */
function joinValues(name: string, value: string, before: string | undefined, listed: ReadonlySet<string>): string {
  // Whose cookie it is concerns nobody.
  if (name === 'set-cookie') return '';
  if (before === undefined) return value.slice(0, longestValue);
  return listed.has(name) ? `${before}, ${value}`.slice(0, longestValue) : before;
}

/** @param flat names and values in turn */
function keep(
  flat: readonly string[],
  wanted: ReadonlySet<string>,
  listed: ReadonlySet<string>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at]?.toLowerCase() ?? '';
    if (wanted.has(name)) kept[name] = joinValues(name, flat[at + 1] ?? '', kept[name], listed);
  }
  return kept;
}

export function keepRequestHeaders(flat: readonly string[]): Record<string, string> {
  return keep(flat, ofRequest, listedInRequests);
}

export function keepResponseHeaders(flat: readonly string[]): Record<string, string> {
  return keep(flat, ofResponse, ofCaches);
}

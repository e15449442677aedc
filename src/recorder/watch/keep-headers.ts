import { actionRouteHeader, etagsHeader } from '#src/http/waku-addresses.ts';

/** The headers by which the writer recognises, in lower case; what else a request has is not looked at. */
const ofRequest = new Set([
  actionRouteHeader,
  etagsHeader,
  'accept',
  'accept-language',
  'baggage',
  'content-encoding',
  'content-type',
  'host',
  'next-action',
  'next-router-prefetch',
  'next-router-segment-prefetch',
  'next-router-state-tree',
  'next-url',
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
  'x-forwarded-for',
  'x-prefetch',
  'x-rsc-action',
]);
const ofResponse = new Set([
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'x-nextjs-cache',
  'x-nextjs-postponed',
  'x-nextjs-prerender',
]);
/** The longest is Next's tree of segments, some hundred bytes for each. */
const longestValue = 8 * 1024;

/** @param flat names and values in turn. Of a header that came twice the first counts. */
function keep(flat: readonly string[], wanted: ReadonlySet<string>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (let at = 0; at < flat.length; at += 2) {
    const name = flat[at]?.toLowerCase() ?? '';
    if (wanted.has(name)) kept[name] ??= (flat[at + 1] ?? '').slice(0, longestValue);
  }
  return kept;
}

export function keepRequestHeaders(flat: readonly string[]): Record<string, string> {
  return keep(flat, ofRequest);
}

export function keepResponseHeaders(flat: readonly string[]): Record<string, string> {
  return keep(flat, ofResponse);
}

import { nameNextRequest } from '#flight';

import { requestIdHeader } from './request-id-header.ts';

import { readProperty } from './describe-thrown.ts';

/** What is told of a request: never a header's text but the ids of its trace, never the value of a query's parameter. */

/** `/orders?id=7&draft` → `/orders?id&draft`; a URL loses its host. */
export function dropQueryValues(url: string): string {
  const plain = url.replace(/^[a-z][\w+.-]*:\/\/[^/?#]*/i, '').replace(/#.*$/s, '') || '/';
  const [path = '', query] = plain.split(/\?(.*)/s, 2);
  if (query === undefined || query === '') return path;
  return `${path}?${query
    .split('&')
    .map((pair) => pair.split('=', 1)[0])
    .join('&')}`;
}

/** Reads a header from a `Headers`, or from a plain record with names in small letters. */
export function readHeader(headers: unknown, name: string): string | undefined {
  if (typeof Headers !== 'undefined' && headers instanceof Headers) return headers.get(name) ?? undefined;
  const get = readProperty(headers, 'get');
  if (typeof get === 'function') {
    try {
      const value: unknown = get.call(headers, name);
      return typeof value === 'string' ? value : undefined;
    } catch {
      return undefined;
    }
  }
  const value = readProperty(headers, name);
  if (Array.isArray(value)) return typeof value[0] === 'string' ? value[0] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Reads the trace's id from W3C's `traceparent`, or from Sentry's own header. */
export function readTraceId(headers: unknown): string | undefined {
  const found =
    /^[\da-f]{2}-([\da-f]{32})-/.exec(readHeader(headers, 'traceparent') ?? '') ??
    /^([\da-f]{32})-/.exec(readHeader(headers, 'sentry-trace') ?? '');
  return found?.[1];
}

export function readRequestId(headers: unknown): string | undefined {
  return readHeader(headers, requestIdHeader)?.slice(0, 100);
}

/** What Next.js's client says of a request. */
const nextHeaders = ['next-router-prefetch', 'next-router-segment-prefetch', 'next-router-state-tree', 'priority'];

function pickHeaders(headers: unknown, names: readonly string[]): Record<string, string> {
  const given = names.map((name) => [name, readHeader(headers, name)] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** A flight's request says it in its headers; everything else is a document's. */
export function readFlightKind(headers: unknown): 'document' | ReturnType<typeof nameNextRequest> {
  const purpose = readHeader(headers, 'sec-purpose') ?? readHeader(headers, 'purpose');
  if (purpose?.includes('prefetch')) return 'prefetch';
  if (readHeader(headers, 'rsc') === '1') return nameNextRequest(pickHeaders(headers, nextHeaders));
  return readHeader(headers, 'accept')?.startsWith('text/x-component') ? 'navigation' : 'document';
}

import 'server-only';

import type { IncomingMessage } from 'node:http';

import {
  actionHeader,
  prefetchHeader,
  refusedHeader,
  sideHeader,
  usedHeader,
  visitHeader,
} from '#src/server/http/flight-headers.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';
import { isForwarders, noteForwarded } from '#src/server/http/direct-request.ts';
import { actionRouteHeader, etagsHeader } from '#src/server/http/waku-addresses.ts';

/**
 * Headers that only this server, or a proxy in front of it, may set. A client's are dropped before anything reads them, so
 * that Hono, Waku and pages need not know which headers to trust. The headers of a trusted proxy have been read by then
 * (src/server/http/client-address.ts).
 */

/** Headers with our prefixes that our own client sends, or an app with its secret key. */
const clientHeaders = new Set([
  actionHeader,
  prefetchHeader,
  visitHeader,
  usedHeader,
  sideHeader,
  refusedHeader,
  actionRouteHeader,
  etagsHeader,
]);

function isInternal(name: string): boolean {
  if (name === 'forwarded' || name === 'x-real-ip' || name === requestIdHeader) return true;
  if (name.startsWith('x-forwarded-')) return true;
  return (name.startsWith('x-flight-') || name.startsWith('x-waku-')) && !clientHeaders.has(name);
}

/** Hono reads the raw list, other code reads Node's object: the headers are removed from both. */
export function stripHeaders(incoming: IncomingMessage): void {
  const { rawHeaders, headers } = incoming;
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    const name = rawHeaders[at] ?? '';
    // All of them begin with an x or an f.
    const first = name.charCodeAt(0) | 0x20;
    if (first !== 0x78 && first !== 0x66) continue;
    const lower = name.toLowerCase();
    if (!isInternal(lower)) continue;
    rawHeaders.splice(at, 2);
    delete headers[lower];
    if (isForwarders(lower)) noteForwarded(incoming);
  }
}

import type { RequestHeaders } from '#src/server/http/request-context.ts';

import { longestPath, toPath } from '../watch/look-at-request.ts';

/**
 * The page from which a request came, by its `Referer`. Only a page of the same host has a path here: of other sites nothing is
 * kept. Host and port are compared, not the scheme: behind a proxy that ends TLS the page has `https` and the request has not.
 */
const schemePattern = /^https?:\/\//;
/** A value travels to the writing thread between line breaks (pack-head.ts). No address of a page has such characters. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controlCharacters = /[\u0000-\u001f\u007f]/;

export function isFromPath(path: string): boolean {
  return path.startsWith('/') && path.length <= longestPath && !controlCharacters.test(path);
}

/** @returns its path without the query, as the page's own flight has it */
export function readFromPath(headers: Pick<RequestHeaders, 'get'>): string | null {
  const [referer, host] = [headers.get('referer'), headers.get('host')];
  if (referer === null || host === null) return null;
  const start = schemePattern.exec(referer)?.[0].length;
  if (start === undefined || !referer.startsWith(host, start)) return null;
  const path = toPath(referer.slice(start + host.length));
  return isFromPath(path) ? path : null;
}

import 'server-only';

import type { MiddlewareHandler } from 'hono';

import type { FileRule } from '#src/server/http/file-rule.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { setSecurityHeaders } from '#src/server/http/security-headers.ts';

/**
 * Stands near the outside, so that it sees every answer: pages, files, refusals, the not-found page, and what Hono makes of
 * an exception.
 */
export function securityHeaders(): MiddlewareHandler {
  return async function securityHeadersMiddleware(c, next) {
    await next();
    const nonce = currentRequest()?.nonce ?? '';
    try {
      setSecurityHeaders(c.res.headers, nonce);
    } catch (error) {
      // The headers of `Response.redirect()` and of a fetched response cannot be changed; those of a copy can.
      if (!(error instanceof TypeError)) throw error;
      c.res = new Response(c.res.body, c.res);
      setSecurityHeaders(c.res.headers, nonce);
    }
  };
}

/** Files have no scripts of their own but those that their policy names by hash. */
export const securityHeadersOfFile: FileRule = { prepare: (headers) => setSecurityHeaders(headers, '') };

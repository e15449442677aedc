import 'server-only';

import type { MiddlewareHandler } from 'hono';

/** `/healthz`: the process answers. It says nothing of the database or the disk. */
export function health(): MiddlewareHandler {
  return async function healthMiddleware(c, next) {
    if (c.req.path !== '/healthz') return next();
    return c.json({ status: 'ok' });
  };
}

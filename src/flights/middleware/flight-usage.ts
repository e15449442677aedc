import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { noteUsage } from '#src/flights/recorder/recorder.ts';

import { createUsageTaker } from './take-usage.ts';

/**
 * Where a document that is being closed says which of its prefetches were shown. It stands below `access`: whoever may ask
 * for a page may say so.
 * @param path other paths pass
 */
export function flightUsage(path: string): MiddlewareHandler {
  const take = createUsageTaker(noteUsage);
  return function flightUsageMiddleware(c, next) {
    return c.req.path === path ? take(c.req.raw) : next();
  };
}

import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { receiveEnvelope } from '#src/faults/receive/receive-envelope.ts';

import { notKeptLimit } from './refuse-report.ts';
import { createReportTaker } from './take-report.ts';

/**
 * Where browsers post their reports: this app's own origin, so that neither a content blocker nor a second host stands
 * in between. Takes reports at `path` and lets other paths pass.
 */
export function tunnel(path: string): MiddlewareHandler {
  const takeReport = createReportTaker({
    keep: (body, userAgent) => receiveEnvelope(body, { userAgent }),
    // A Sentry behind this one may keep what we do not.
    headers: () => (readSetting('SENTRY_DSN') ? {} : { 'x-sentry-rate-limits': notKeptLimit }),
  });

  return function tunnelMiddleware(c, next) {
    return c.req.path === path ? takeReport(c.req.raw, currentRequest()?.address) : next();
  };
}

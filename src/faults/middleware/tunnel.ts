import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { currentRequest } from '#src/server/http/request-context.ts';

import { notKeptLimit } from './refuse-report.ts';
import { createReportTaker } from './take-report.ts';
import { forwardEnvelope } from '../receive/forward-envelope.ts';
import { ingestEnvelope, type IngestResult, type Sender } from '../receive/ingest-envelope.ts';

/**
 * The receiver that browsers' SDKs talk to. It keeps an envelope, then sends a copy to the operator's Sentry if there
 * is one. It resolves when the envelope is kept, and does not wait for the copy.
 * @throws the database's error when the envelope could not be kept
 */
async function receiveEnvelope(bytes: Uint8Array, sender: Sender = {}): Promise<IngestResult> {
  const result = await ingestEnvelope(bytes, sender);
  if (result.status === 'stored') forwardEnvelope(bytes);
  return result;
}

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

import 'server-only';

import { hash, timingSafeEqual } from 'node:crypto';

import type { Context, MiddlewareHandler } from 'hono';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { metricsPath } from '#src/server/http/addresses.ts';
import { isDirectRequest } from '#src/server/http/direct-request.ts';
import { findOutgoing } from '#src/server/http/find-outgoing.ts';
import { refuse } from '#src/server/http/refuse.ts';
import { serverSettings } from '#src/server/http/server-settings.ts';

/**
 * What this server counts, for Prometheus. From this machine itself without a key, from everywhere else with `METRICS_KEY`: counts
 * say how busy an app is, which of its faults are worst, and when its operator is signed in.
 */
type ServeMetrics = () => Promise<{ readonly contentType: string; readonly text: string }>;

/** Compares hashes, which have one length, so it takes the same time for every text. */
function isKey(given: string, key: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', key, 'buffer'));
}

function hasKey(c: Context): boolean {
  const key = readSetting('METRICS_KEY');
  const [, given] = /^Bearer +(\S{1,200})$/i.exec(c.req.header('authorization') ?? '') ?? [];
  return key !== undefined && given !== undefined && isKey(given, key);
}

/** Says whether the request comes from this machine. In development nobody knows the connection. */
function isFromHere(c: Context): boolean {
  const incoming = findOutgoing(c.env)?.req;
  return incoming !== undefined && isDirectRequest(incoming, serverSettings());
}

function refuseStranger(): Response {
  const detail = readSetting('METRICS_KEY') === undefined ? 'METRICS_KEY is not set' : 'without the right METRICS_KEY';
  return refuse('metrics-key', 'json', detail, { 'www-authenticate': 'Bearer realm="metrics"' });
}

/** @param load is called once, by the first who may ask */
export function metrics(load: () => Promise<ServeMetrics>): MiddlewareHandler {
  let loaded: Promise<ServeMetrics> | undefined;

  async function answer(c: Context): Promise<Response> {
    const { method } = c.req;
    if (method !== 'GET' && method !== 'HEAD') {
      return refuse('wrong-method', 'json', `${method} of metrics`, { allow: 'GET, HEAD' });
    }
    if (!isFromHere(c) && !hasKey(c)) return refuseStranger();
    loaded ??= load();
    const serve = await loaded;
    const { contentType, text } = await serve();
    return c.body(text, 200, { 'content-type': contentType, 'cache-control': 'private, no-store' });
  }

  return function metricsMiddleware(c, next) {
    return c.req.path === metricsPath ? answer(c) : next();
  };
}

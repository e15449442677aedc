import 'server-only';

import { experimentPath } from '#src/http/addresses.ts';
import { serverSettings, toConnectable } from '#src/http/server-settings.ts';

/**
 * An upstream that fails as often as it is told to, for each key, and then answers. It is this same server, asked over
 * the network like any other: what the page goes through is real.
 */
const mostFailures = 9;
/** Keys come from outside; the oldest goes when the newest comes. */
const keysKept = 200;
const callsByKey = new Map<string, number>();

export function answerFlakily(query: URLSearchParams, headers: Headers): Response {
  if (query.get('record') === 'none') return Response.json({ error: 'no such record' }, { status: 404 });
  const key = (query.get('key') ?? '').slice(0, 40);
  const call = (callsByKey.get(key) ?? 0) + 1;
  callsByKey.delete(key);
  callsByKey.set(key, call);
  const oldest = callsByKey.keys().next().value;
  if (callsByKey.size > keysKept && oldest !== undefined) callsByKey.delete(oldest);
  if (call <= readFailures(query)) return Response.json({ error: 'failing on purpose' }, { status: 503 });
  const told = { trace: headers.get('sentry-trace') ?? '', baggage: headers.get('baggage') ?? '' };
  return Response.json({ calls: call, ...told });
}

/** `?failures=2`, at most 9. */
export function readFailures(query: URLSearchParams): number {
  const failures = Number(query.get('failures') ?? '0');
  return Number.isInteger(failures) && failures > 0 ? Math.min(failures, mostFailures) : 0;
}

/**
 * Where this server listens. Not taken from the request: its `Host` is the client's to choose, and a server that calls
 * whatever address it is told can be made to call any. In dev, `PORT` is set by `npm run dev`.
 */
export function upstreamUrl(query: URLSearchParams): URL {
  const { hostname, port } = serverSettings();
  const reachable = toConnectable(hostname);
  const url = new URL(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}${experimentPath('flaky')}`);
  url.port = String(port);
  url.search = query.toString();
  return url;
}

const hex32 = /^[0-9a-f]{32}$/;

/** The trace that a request names, as W3C's standard or Sentry's SDKs write it. */
export function readTrace(headers: Readonly<Record<string, string>>): string | undefined {
  const [, w3c] = (headers['traceparent'] ?? '').split('-');
  const [sentry] = (headers['sentry-trace'] ?? '').split('-');
  const baggage = /(?:^|,)\s*sentry-trace_id=([0-9a-f]{32})/.exec(headers['baggage'] ?? '')?.[1];
  return [w3c, sentry, baggage].find((id) => id !== undefined && hex32.test(id));
}

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Names a trace for a request that names none: https://www.w3.org/TR/trace-context/#traceparent-header. The app's OpenTelemetry puts
 * what it does for the request under it, so what it tells is of this request and of no other. The header is the one thing that is
 * added, and only where somebody asked for it.
 */
export function nameTrace({ headers, rawHeaders }: IncomingMessage): void {
  const { traceparent, baggage = '' } = headers;
  // Sentry's SDKs name one in their own way, and go on with it.
  if (traceparent !== undefined || headers['sentry-trace'] !== undefined || baggage.includes('sentry-trace_id')) return;
  // `01`: it is sampled. A sampler that asks for its parent's decision would otherwise keep nothing.
  const value = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
  // The forwarder writes what came, in its order and spelling; who watches reads the headers by their names.
  rawHeaders.push('traceparent', value);
  headers['traceparent'] = value;
}

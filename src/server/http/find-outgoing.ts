import { ServerResponse } from 'node:http';

/**
 * Node's response, which Hono's server passes beside the request. There is none in dev and in a test; HTTP/2's is another
 * class.
 */
export function findOutgoing(env: unknown): ServerResponse | undefined {
  const outgoing = typeof env === 'object' && env !== null && 'outgoing' in env ? env.outgoing : undefined;
  return outgoing instanceof ServerResponse ? outgoing : undefined;
}

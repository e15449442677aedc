import { IncomingMessage } from 'node:http';

/** Node's request, which Hono's server passes beside the request. There is none in dev and in a test; HTTP/2's is another class. */
export function findIncoming(env: unknown): IncomingMessage | undefined {
  const incoming = typeof env === 'object' && env !== null && 'incoming' in env ? env.incoming : undefined;
  return incoming instanceof IncomingMessage ? incoming : undefined;
}

import { ServerResponse } from 'node:http';

/**
 * Loaded before the server (`--import`): says in a header of each answer how it was sent. The host hands Node a list of
 * names and values where it sends a file by itself, and Hono's server hands it an object.
 */
const writeHead = ServerResponse.prototype.writeHead;

Object.defineProperty(ServerResponse.prototype, 'writeHead', {
  value(this: ServerResponse, status: number, headers: Record<string, string> | string[] = {}) {
    return Array.isArray(headers)
      ? writeHead.call(this, status, [...headers, 'x-sent-by', 'rules'])
      : writeHead.call(this, status, { ...headers, 'x-sent-by': 'middlewares' });
  },
});

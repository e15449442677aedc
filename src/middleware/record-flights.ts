import 'server-only';

import { IncomingMessage } from 'node:http';

import type { Context, MiddlewareHandler } from 'hono';

import { answerRecording, openRecording } from '#src/recorder/recorder.ts';
import { currentRequest, type RequestHeaders } from '#src/runtime/request-context.ts';

function readIncoming(env: unknown): IncomingMessage | undefined {
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return undefined;
  return env.incoming instanceof IncomingMessage ? env.incoming : undefined;
}

/** Node's own where there are any: a look into a `Headers` is most of a microsecond, and a recording takes three. */
function readHeaders(c: Context): RequestHeaders {
  const headers = readIncoming(c.env)?.headers;
  if (!headers) return c.req.raw.headers;
  return {
    get(name) {
      const value = headers[name];
      return value === undefined ? null : String(value);
    },
    has: (name) => headers[name] !== undefined,
  };
}

/** Right inside `requestContext`: it tells the recorder which requests there are and how each was answered. */
export function recordFlights(): MiddlewareHandler {
  return async function recordFlightsMiddleware(c, next) {
    const request = currentRequest();
    const recording = request && openRecording(request, () => ({ url: c.req.raw.url, headers: readHeaders(c) }));
    await next();
    if (recording) answerRecording(recording, c.res);
  };
}

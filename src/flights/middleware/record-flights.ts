import 'server-only';

import type { Context, MiddlewareHandler } from 'hono';

import type { FileRule } from '#src/server/http/file-rule.ts';
import { findIncoming } from '#src/server/http/find-incoming.ts';
import {
  currentRequest,
  toRequestHeaders,
  type RequestContext,
  type RequestHeaders,
} from '#src/server/http/request-context.ts';
import { serverSettings } from '#src/server/http/server-settings.ts';
import { answerRecording, openRecording } from '#src/flights/recorder/recorder.ts';

/** Node's own where there are any: a recording takes three microseconds. */
function readHeaders(c: Context): RequestHeaders {
  const incoming = findIncoming(c.env);
  return incoming ? toRequestHeaders(incoming.headers) : c.req.raw.headers;
}

/** Reads the size of a file, which has its length before it is sent. With the login off, a notice is written into every page after this. */
function readSentBytes({ prerendered }: RequestContext, { headers }: Response): number | undefined {
  const length = prerendered && serverSettings().auth === 'on' ? headers.get('content-length') : null;
  return length === null ? undefined : Number(length);
}

/** Right inside `requestContext`: it tells the recorder which requests there are and how each was answered. */
export function recordFlights(): MiddlewareHandler {
  return async function recordFlightsMiddleware(c, next) {
    const request = currentRequest();
    const recording = request && openRecording(request, () => ({ url: c.req.raw.url, headers: readHeaders(c) }));
    await next();
    if (recording) answerRecording(recording, { status: c.res.status, sentBytes: readSentBytes(request, c.res) });
  };
}

export const recordFlightsOfFile: FileRule = {
  send({ context, path, headers }) {
    const recording = context && openRecording(context, () => ({ url: path, headers }));
    return recording && ((status, sentBytes) => answerRecording(recording, { status, sentBytes }));
  },
};

import 'server-only';

import type { MiddlewareHandler } from 'hono';

import { answerRecording, openRecording } from '#src/recorder/recorder.ts';
import { currentRequest } from '#src/runtime/request-context.ts';

/** Right inside `requestContext`: it tells the recorder which requests there are and how each was answered. */
export function recordFlights(): MiddlewareHandler {
  return async function recordFlightsMiddleware(c, next) {
    const request = currentRequest();
    const recording = request && openRecording(request, c.req.raw);
    await next();
    if (recording) answerRecording(recording, c.res);
  };
}

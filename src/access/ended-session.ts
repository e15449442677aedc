import 'server-only';

import { currentRequest, type RequestContext } from '#src/server/http/request-context.ts';

/**
 * A request with a session's cookie and without its session: somebody was signed in in this browser, and is not any more. The
 * login page says so. Which session it was is not looked at: it is forgotten when it ends.
 */
const ended = new WeakSet<RequestContext>();

export function noteEndedSession(): void {
  const request = currentRequest();
  if (request) ended.add(request);
}

export function hasSessionEnded(): boolean {
  const request = currentRequest();
  return request !== undefined && ended.has(request);
}

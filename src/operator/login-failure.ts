import 'server-only';

import { currentRequest, type RequestContext } from '#src/http/request-context.ts';

import type { LoginFailure } from './login-problems.ts';

/**
 * A form that the browser submitted itself and that did not sign anybody in: the login page is then rendered as its
 * answer, and has to say why. The address bar says nothing of it, and must not: anybody could write a link that does.
 */
type FailedLogin = LoginFailure & { readonly next: string };

const failures = new WeakMap<RequestContext, FailedLogin>();

export function noteFailedLogin(failure: FailedLogin): void {
  const request = currentRequest();
  if (!request) throw new Error('A sign-in failed outside a request');
  failures.set(request, failure);
}

/** What the login page that is rendered now has to explain. */
export function currentFailedLogin(): FailedLogin | undefined {
  const request = currentRequest();
  return request && failures.get(request);
}

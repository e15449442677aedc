import 'server-only';

import { currentRequest, type RequestContext } from '#src/server/http/request-context.ts';

import type { LoginFailure } from './login-problems.ts';

/**
 * A failed login by a form that the browser submitted itself. The login page is the answer, and has to say why. The
 * address bar must not say it: anybody could write a link that does.
 */
type FailedLogin = LoginFailure & { readonly next: string };

const failures = new WeakMap<RequestContext, FailedLogin>();

export function noteFailedLogin(failure: FailedLogin): void {
  const request = currentRequest();
  if (!request) throw new Error('A sign-in failed outside a request');
  failures.set(request, failure);
}

/** The failure that the login page being rendered has to explain. */
export function currentFailedLogin(): FailedLogin | undefined {
  const request = currentRequest();
  return request && failures.get(request);
}

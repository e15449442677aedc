import 'server-only';

import type { fsRouter } from 'waku';

import { withFormActions } from './actions/with-form-actions.ts';
import { withPageMethods } from './actions/with-page-methods.ts';
import { withPlainFailures } from './errors/answer-thrown.ts';
import { withErrorResponses } from './errors/with-error-responses.ts';
import { withFlightResponses } from './renderer/flight-response.ts';

type Handlers = ReturnType<typeof fsRouter>;

/**
 * All that stands around Waku's router, outermost last. The order matters:
 *
 * 1. `withFormActions` hands the router a form's action decoded, and notes how each action ended. Innermost: a body that
 *    cannot be decoded is refused before the router runs it, and nothing below may run an action twice.
 * 2. `withPageMethods` lets a page render for GET, HEAD and its own forms alone. Around the first: whether a POST is a form
 *    is in its `tryAction`, which the first replaces. It tells the router's own "API method not found" from a failure, so it
 *    must come before what answers failures.
 * 3. `withErrorResponses` answers what no stream could carry with the error page and a digest. Around the second: what it
 *    throws on is a failure, not a refusal.
 * 4. `withFlightResponses` makes the answer to a navigation a `Response` of its own. Around the third: it looks at results,
 *    and an error page is one already.
 * 5. `withPlainFailures` answers in plain text what is thrown even so: the error page itself may be what fails. It also
 *    marks the request as decoded, which tells a failure from a request that Waku could not read (`answerThrown`).
 *
 * Redirects and not-founds (control-errors.ts) pass all of them.
 */
export function handleRequests(router: Handlers): Handlers {
  const { handleRequest, ...rest } = withErrorResponses(withPageMethods(withFormActions(router)));
  return { ...rest, handleRequest: withPlainFailures(withFlightResponses(handleRequest)) };
}

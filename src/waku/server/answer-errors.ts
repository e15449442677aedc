import 'server-only';

import type { fsRouter } from 'waku';

import { withPlainFailures } from '#src/runtime/errors/answer-thrown.ts';
import { withErrorResponses } from '#src/runtime/errors/with-error-responses.ts';
import { withFlightResponses } from '#src/runtime/renderer/flight-response.ts';

import { withActions } from './note-actions.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;

/** What stands around the router of an app with digests: src/runtime/handle-request.ts, with what the app asked for alone. */
export function handleInside<T extends Handlers>(handlers: T): T {
  const answering = withErrorResponses(withActions(handlers));
  return { ...answering, handleRequest: withPlainFailures(withFlightResponses(answering.handleRequest)) };
}

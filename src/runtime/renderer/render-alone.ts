import 'server-only';

import type { ReactNode } from 'react';

import { renderToPipeableStream } from 'virtual:flight-recorder/flight-server';

import { toResponse } from '#src/server/http/body.ts';
import { currentRequest } from '#src/server/http/request-context.ts';

import { reportError } from '../errors/report-error.ts';
import { gateDigests } from './digest-gate.ts';
import { createFlightBody } from './flight-body.ts';
import { createFlight } from './flight.ts';

const clientLeft = new Error('The response is no longer wanted');

/**
 * Renders an element to a payload of its own, without a page around it. Its errors have digests as those of pages have. It is no
 * flight of the app, and is not recorded.
 */
export function renderAlone(element: ReactNode): Response {
  const request = currentRequest();
  if (!request) throw new Error('There is no request to answer');
  let isCancelled = false;
  const flight = createFlight();
  const { pipe, abort } = renderToPipeableStream(element, {
    // React reports an abort once per unfinished task. A visitor who left is not an error.
    onError: (error) => (isCancelled ? undefined : reportError(error, 'rsc', { request })),
  });
  function cancel(): void {
    if (isCancelled) return;
    isCancelled = true;
    abort(clientLeft);
  }
  function release(): void {
    request?.signal.removeEventListener('abort', cancel);
  }
  pipe(flight.destination);
  if (request.signal.aborted) cancel();
  else request.signal.addEventListener('abort', cancel, { once: true });
  return toResponse(gateDigests(createFlightBody(flight, { cancel, release }), request.digests), {
    // A browser shows it to who opens its address.
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-store' },
  });
}

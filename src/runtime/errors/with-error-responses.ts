import 'server-only';

import type { fsRouter } from 'waku';

import { readControl } from '../control-errors.ts';
import { renderErrorResponse } from '../renderer/error-response.tsx';
import { currentRequest } from '#src/server/http/request-context.ts';
import { createPlainFailure } from './plain-failure.ts';
import { reportError } from './report-error.ts';

type Handlers = Pick<ReturnType<typeof fsRouter>, 'handleRequest'>;

/** A form that the browser submits itself, and a page: a program that asks an API route does not name HTML. */
function wantsPage(request: Request): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html');
}

/**
 * Answers errors that never reach a stream: a thrown server action, and in dev a failing static page, and a failing API
 * route. Without this, the visitor would see only "Internal Server Error", and the log would have no digest for it.
 */
export function withErrorResponses<T extends Handlers>(handlers: T): T {
  return {
    ...handlers,
    async handleRequest(input, utils) {
      try {
        return await handlers.handleRequest(input, utils);
      } catch (error) {
        if (readControl(error)) throw error;
        const isAction = currentRequest()?.kind === 'action';
        const digest = reportError(error, isAction ? 'action' : 'document');
        return input.type === 'http' && wantsPage(input.req) ? renderErrorResponse(digest) : createPlainFailure(digest);
      }
    },
  };
}

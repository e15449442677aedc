import 'server-only';

import type { fsRouter } from 'waku';

import { renderErrorResponse } from '../renderer/error-response.tsx';
import { currentRequest } from '../request-context.ts';
import { digestHeader } from './digest.ts';
import { isControlFlow, reportError } from './report-error.ts';

type Handlers = ReturnType<typeof fsRouter>;

/**
 * Errors that never reach a stream: a thrown server action, and in dev a failing static page. Without this they are the
 * words "Internal Server Error" and nothing in the log that a visitor could name.
 */
export function withErrorResponses(handlers: Handlers): Handlers {
  return {
    ...handlers,
    async handleRequest(input, utils) {
      try {
        return await handlers.handleRequest(input, utils);
      } catch (error) {
        if (isControlFlow(error)) throw error;
        const isAction = currentRequest()?.kind === 'action';
        const digest = reportError(error, isAction ? 'action' : 'document');
        if (input.type === 'http') return renderErrorResponse(digest);
        return new Response('The server failed to answer this request.\n', {
          status: 500,
          headers: {
            'content-type': 'text/plain; charset=utf-8',
            'cache-control': 'private, no-store',
            ...(digest ? { [digestHeader]: digest } : {}),
          },
        });
      }
    },
  };
}

import 'server-only';

import { fsRouter } from 'waku';

import type { Step } from '#src/server/adapter/step.ts';

import { hasAction } from './actions/known-actions.ts';
import { handleRequests } from './handle-request.ts';
import { pageActions, pageActionsOfFile } from './middleware/page-actions.ts';
import { requestContext, requestContextOfFile } from './middleware/request-context.ts';
import { mountPages } from './mount-pages.ts';

/** Pages and their actions, as a part of the server. */

/** Outermost: all else asks what it has found out. */
export const requestContextStep: Step = { middleware: requestContext(), file: requestContextOfFile };

/** Innermost: an action is posted to its page. */
export const pageActionsStep: Step = { middleware: pageActions({ hasAction }), file: pageActionsOfFile };

/** @param pages as import.meta.glob gives them */
export function servePages(pages: Parameters<typeof fsRouter>[0]) {
  return handleRequests(fsRouter(mountPages(pages)));
}

import 'server-only';

import { formatTrace } from '#src/server/http/create-request-context.ts';
import { actionHeader, pageHeader } from '#src/server/http/flight-headers.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';
import type { RequestContext, RequestHeaders } from '#src/server/http/request-context.ts';
import { noteRedirect } from '#src/runtime/reporting/breadcrumbs.ts';

/**
 * Whether the answer names its trace, for the browser's errors: a document does. A form that the browser submitted itself is
 * answered by a document, too; a file that is no page has no trace.
 */
export function isTraced({ kind, isPlainFile }: RequestContext, headers: RequestHeaders): boolean {
  if (isPlainFile === true) return false;
  return kind === 'document' || (kind === 'action' && !headers.has(actionHeader));
}

/**
 * Gives an answer what its request is known by: the id, the kind of page, the trace. Inside somebody else's app the answers are
 * theirs, and get the same.
 * @param asked the request's headers
 */
export function nameAnswer(
  context: RequestContext,
  asked: RequestHeaders,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
): void {
  headers.set(requestIdHeader, context.id);
  const location = status >= 300 ? headers.get('location') : null;
  if (location !== null) noteRedirect(status, location, context);
  // The browser keeps a prefetched page as long as its kind allows; our own prerendered ones come with their own word.
  const isPageData = context.kind === 'navigation' || context.kind === 'prefetch';
  if (isPageData && !headers.has(pageHeader)) headers.set(pageHeader, context.prerendered ? 'static' : 'dynamic');
  if (isTraced(context, asked)) headers.append('server-timing', formatTrace(context));
}

import { fsRouter } from 'waku';

import adapter from '#src/host/adapter.ts';
import { health } from '#src/middleware/health.ts';
import { pageActions } from '#src/middleware/page-actions.ts';
import { requestContext } from '#src/middleware/request-context.ts';
import { hasAction } from '#src/runtime/actions/known-actions.ts';
import { withFormActions } from '#src/runtime/actions/with-form-actions.ts';
import { withErrorResponses } from '#src/runtime/errors/with-error-responses.ts';

const pages = import.meta.glob(['./pages/**/*.{ts,tsx}', '!./pages/**/*.test.{ts,tsx}']);

export default adapter(withErrorResponses(withFormActions(fsRouter(pages))), {
  middleware: [requestContext(), health(), pageActions({ hasAction })],
});

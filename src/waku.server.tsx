import { fsRouter } from 'waku';

import adapter from '#src/host/adapter.ts';
import { health } from '#src/middleware/health.ts';
import { requestContext } from '#src/middleware/request-context.ts';
import { captureProcessErrors } from '#src/runtime/errors/capture-process-errors.ts';
import { withErrorResponses } from '#src/runtime/errors/with-error-responses.ts';

const pages = import.meta.glob(['./pages/**/*.{ts,tsx}', '!./pages/**/*.test.{ts,tsx}']);

function start(): () => Promise<void> {
  async function stop(): Promise<void> {}
  if (import.meta.env.PROD) captureProcessErrors(stop);
  return stop;
}

export default adapter(withErrorResponses(fsRouter(pages)), {
  middleware: [requestContext(), health()],
  onStart: start,
});

/**
 * Throw after the shell
 *
 * A server component inside Suspense throws when the rest of the page is already on its way.
 *
 * Look for: Status 200, because it was sent before the error; then the error with its digest in place of the part that failed.
 */
import 'server-only';

import { setTimeout as wait } from 'node:timers/promises';

import { Suspense } from 'react';

import { ErrorBoundary } from '#src/runtime/errors/error-boundary.tsx';

export const group = 'Errors and their digests';
export const order = 2;
export const fails = true;

/** Long enough for the shell to be sent. */
const delayMs = 300;

async function LatePart(): Promise<never> {
  await wait(delayMs);
  throw new Error('canary-after-shell: thrown on purpose after the shell');
}

export default function ThrowAfterShell() {
  return (
    <ErrorBoundary>
      <Suspense
        fallback={
          <p>
            This part is still being rendered on the server …
            <noscript> Without JavaScript this line stays when the part has failed; reload to try again.</noscript>
          </p>
        }
      >
        <LatePart />
      </Suspense>
    </ErrorBoundary>
  );
}

/**
 * Throw after the shell
 *
 * A server component inside Suspense throws when the shell, which is all that stands outside of Suspense, is already sent. What can
 * a server still say when it fails late?
 *
 * Look for: The status was sent with the shell, so it is 200. The server can only fill the hole with an `E` row, which has a digest:
 * a code for the error. The error boundary around it shows the digest in the result.
 */
import 'server-only';

import { setTimeout as wait } from 'node:timers/promises';

import { Suspense } from 'react';

import { ErrorBoundary } from '#src/runtime/errors/error-boundary.tsx';

export const group = 'A course, step by step';
export const order = 9;
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

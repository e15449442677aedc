import 'server-only';

import { setTimeout as wait } from 'node:timers/promises';

import { Suspense } from 'react';

import { ErrorBoundary } from '#src/runtime/errors/error-boundary.tsx';

/** Long enough for the shell to be sent. */
const delayMs = 300;

async function LatePart(): Promise<never> {
  await wait(delayMs);
  throw new Error('canary-after-shell: thrown on purpose after the shell');
}

export function ThrowAfterShell() {
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

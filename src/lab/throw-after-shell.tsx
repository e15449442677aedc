import 'server-only';

import { setTimeout as wait } from 'node:timers/promises';

import { Suspense } from 'react';

import { ErrorBoundary } from '#src/runtime/errors/error-boundary.tsx';

/** Long enough for the shell to be on its way. */
const delayMs = 300;

async function LatePart(): Promise<never> {
  await wait(delayMs);
  throw new Error('canary-after-shell: thrown on purpose after the shell');
}

export function ThrowAfterShell() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<p>This part is still being rendered on the server …</p>}>
        <LatePart />
      </Suspense>
    </ErrorBoundary>
  );
}

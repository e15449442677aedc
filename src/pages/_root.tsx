import type { ReactNode } from 'react';

import '../styles.css';

import { ActionRuntime } from '#src/runtime/actions/action-runtime.tsx';
import { ErrorBoundary } from '#src/runtime/errors/error-boundary.tsx';
import { NavigationRuntime } from '#src/runtime/navigation/navigation-runtime.tsx';
import { TraceRuntime } from '#src/runtime/reporting/trace-runtime.tsx';

export default function Root({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      </head>
      <body>
        <NavigationRuntime />
        <TraceRuntime />
        <ErrorBoundary>{children}</ErrorBoundary>
        <ActionRuntime />
      </body>
    </html>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}

import type { ReactNode } from 'react';

import '../ui/styles.css';

import { faviconPath } from '#src/server/http/addresses.ts';
import { SiteHeader } from '#src/ui/site-header.tsx';
import { ActionRuntime } from '#src/runtime/actions/action-runtime.tsx';
import { ErrorBoundary } from '#src/runtime/errors/error-boundary.tsx';
import { NavigationRuntime } from '#src/runtime/navigation/navigation-runtime.tsx';
import { ReportingRuntime } from '#src/runtime/reporting/reporting-runtime.tsx';

/** The header and the landmarks stand outside the boundary, so they stay when a page fails. */
export default function Root({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href={faviconPath} type="image/svg+xml" />
      </head>
      <body>
        <NavigationRuntime />
        <ReportingRuntime />
        <SiteHeader />
        <div className="pending-bar" />
        <main id="main" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-6 pb-16 outline-none sm:px-6 sm:pt-8">
          <ErrorBoundary>{children}</ErrorBoundary>
        </main>
        <ActionRuntime />
      </body>
    </html>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}

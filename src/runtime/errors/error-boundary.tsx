'use client';

import type { ReactNode } from 'react';

import { ErrorPanel } from './error-panel.tsx';
import { PageBoundary, type Failure } from './page-boundary.tsx';

function showPanel({ identity, isRetrying, retry }: Failure): ReactNode {
  // Another error gets another panel, which takes the focus and is announced.
  return <ErrorPanel key={identity.digest} {...identity} isRetrying={isRetrying} onRetry={retry} />;
}

/** Shows the error panel in place of a page that failed, inside the layout. */
export function ErrorBoundary({ children }: { children: ReactNode }) {
  return <PageBoundary show={showPanel}>{children}</PageBoundary>;
}

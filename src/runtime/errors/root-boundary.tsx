'use client';

import { Component, type ReactNode } from 'react';

import { identifyError, type IdentifiedError } from './browser-digest.ts';
import { ErrorDocument } from './error-document.tsx';

type State = {
  readonly caught: { readonly status: 'fine' } | { readonly status: 'failed'; readonly identity: IdentifiedError };
};

/**
 * The last boundary, around the router itself: for a failing root layout or first payload, when there is no document
 * left to show an error in. Retry is a document load, since the router is part of what failed.
 */
export class RootBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { caught: { status: 'fine' } };

  static getDerivedStateFromError(error: unknown): State {
    return { caught: { status: 'failed', identity: identifyError(error) } };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    switch (caught.status) {
      case 'fine':
        return this.props.children;
      case 'failed':
        return <ErrorDocument {...caught.identity} onRetry={() => window.location.reload()} />;
    }
  }
}

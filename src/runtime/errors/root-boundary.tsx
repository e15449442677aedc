'use client';

import { Component, type ReactNode } from 'react';

import { identifyError } from './browser-digest.ts';
import { ErrorDocument } from './error-document.tsx';

type State = { readonly caught: { readonly status: 'fine' } | { readonly status: 'failed'; readonly error: unknown } };

/**
 * The last boundary, around the router itself: for a failing root layout or first payload, when there is no document
 * left to show an error in. Retry is a document load, since the router is part of what failed.
 */
export class RootBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { caught: { status: 'fine' } };

  static getDerivedStateFromError(error: unknown): State {
    return { caught: { status: 'failed', error } };
  }

  override render(): ReactNode {
    const { caught } = this.state;
    switch (caught.status) {
      case 'fine':
        return this.props.children;
      case 'failed':
        return <ErrorDocument {...identifyError(caught.error)} onRetry={() => window.location.reload()} />;
    }
  }
}

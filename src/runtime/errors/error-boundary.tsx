'use client';

import { Component, type ReactNode } from 'react';
import { useRouter } from 'waku/router/client';

import { readDigest } from './digest.ts';
import { ErrorPanel } from './error-panel.tsx';

type State = { readonly status: 'fine' } | { readonly status: 'failed'; readonly error: unknown; readonly at: string };

class Boundary extends Component<{ readonly location: string; readonly children: ReactNode }, State> {
  override state: State = { status: 'fine' };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { status: 'failed', error, at: '' } as State;
  }

  override render(): ReactNode {
    const { state } = this;
    switch (state.status) {
      case 'fine':
        return this.props.children;
      case 'failed':
        return <ErrorPanel side={readDigest(state.error) ? 'server' : 'browser'} digest={readDigest(state.error)} />;
    }
  }
}

/** Shows the error panel in place of a failed page, inside the layout. */
export function ErrorBoundary({ children }: { children: ReactNode }) {
  const router = useRouter();
  return <Boundary location={`${router.path}?${router.query}`}>{children}</Boundary>;
}

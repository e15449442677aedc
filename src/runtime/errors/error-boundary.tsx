'use client';

import { Component, startTransition, useEffect, type ReactNode } from 'react';
import { useRouter } from 'waku/router/client';

import { dropDocumentDigest, identifyError } from './browser-digest.ts';
import { ErrorPanel } from './error-panel.tsx';

type State = { readonly status: 'fine' } | { readonly status: 'failed'; readonly error: unknown; readonly at: string };

type Props = {
  /** Path and query: a failed page's panel goes when the visitor does. */
  readonly location: string;
  readonly onRetry: () => Promise<void>;
  readonly children: ReactNode;
};

class Boundary extends Component<Props, { readonly caught: State }> {
  override state: { readonly caught: State } = { caught: { status: 'fine' } };

  static getDerivedStateFromError(error: unknown): { readonly caught: State } {
    return { caught: { status: 'failed', error, at: '' } };
  }

  static getDerivedStateFromProps(props: Props, { caught }: { readonly caught: State }) {
    if (caught.status === 'fine') return null;
    if (caught.at === '') return { caught: { ...caught, at: props.location } };
    return caught.at === props.location ? null : { caught: { status: 'fine' } };
  }

  /** Rendering again what failed fails again: the page is fetched anew, and only then is the panel taken away. */
  retry = (): void => {
    startTransition(async () => {
      await this.props.onRetry();
      startTransition(() => this.setState({ caught: { status: 'fine' } }));
    });
  };

  override render(): ReactNode {
    const { caught } = this.state;
    switch (caught.status) {
      case 'fine':
        return this.props.children;
      case 'failed':
        return <ErrorPanel {...identifyError(caught.error)} onRetry={this.retry} />;
    }
  }
}

/** Shows the error panel in place of a page that failed, inside the layout. */
export function ErrorBoundary({ children }: { children: ReactNode }) {
  const { path, query, reload } = useRouter();
  // Whatever failed in the first render has been identified by now; a later error is not the server page's.
  useEffect(dropDocumentDigest, []);
  return (
    <Boundary location={`${path}?${query}`} onRetry={reload}>
      {children}
    </Boundary>
  );
}

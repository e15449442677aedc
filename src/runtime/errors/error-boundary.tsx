'use client';

import { Component, useEffect, type ReactNode } from 'react';
import { useElementsPromise_UNSTABLE as useElementsPromise } from 'waku/minimal/client';
import { useRouter } from 'waku/router/client';

import { describeShown, dropDocumentDigest, type ShownError } from './browser-digest.ts';
import { ErrorPanel } from './error-panel.tsx';

type Caught =
  | { readonly status: 'fine' }
  | { readonly status: 'failed' | 'retrying'; readonly identity: ShownError; readonly page: Page | undefined };

/** What was being shown: where, and which answer of the server. */
type Page = { readonly location: string; readonly elements: unknown };

type Props = {
  readonly location: string;
  /** Changes whenever the server's answer does: by a navigation, a reload, an action. */
  readonly elements: unknown;
  readonly onRetry: () => Promise<void>;
  readonly children: ReactNode;
};

type State = { readonly caught: Caught };

/**
 * Keeps the panel for exactly as long as what failed is what would be shown: another page, or the same page fetched anew,
 * gets its chance. Rendering again what failed would only fail again.
 */
class Boundary extends Component<Props, State> {
  override state: State = { caught: { status: 'fine' } };

  static getDerivedStateFromError(error: unknown): State {
    return { caught: { status: 'failed', identity: describeShown(error), page: undefined } };
  }

  static getDerivedStateFromProps({ location, elements }: Props, { caught }: State): State | null {
    if (caught.status === 'fine') return null;
    if (!caught.page) return { caught: { ...caught, page: { location, elements } } };
    const isSame = caught.page.location === location && caught.page.elements === elements;
    return isSame ? null : { caught: { status: 'fine' } };
  }

  private mark(from: Caught['status'], status: 'failed' | 'retrying'): void {
    this.setState(({ caught }) =>
      caught.status !== 'fine' && caught.status === from ? { caught: { ...caught, status } } : null,
    );
  }

  retry = (): void => {
    this.mark('failed', 'retrying');
    // What the router could not fetch, it throws where this boundary catches it.
    void this.props
      .onRetry()
      .catch(() => undefined)
      .then(() => this.mark('retrying', 'failed'));
  };

  override render(): ReactNode {
    const { caught } = this.state;
    switch (caught.status) {
      case 'fine':
        return this.props.children;
      case 'failed':
      case 'retrying':
        // Another error is another panel: it takes the focus and is announced.
        return (
          <ErrorPanel
            key={caught.identity.digest}
            {...caught.identity}
            isRetrying={caught.status === 'retrying'}
            onRetry={this.retry}
          />
        );
    }
  }
}

/** Shows the error panel in place of a page that failed, inside the layout. */
export function ErrorBoundary({ children }: { children: ReactNode }) {
  const { path, query, reload } = useRouter();
  const elements = useElementsPromise();
  // Whatever failed in the first render has been identified by now; a later error is not the server page's.
  useEffect(dropDocumentDigest, []);
  return (
    <Boundary location={`${path}?${query}`} elements={elements} onRetry={reload}>
      {children}
    </Boundary>
  );
}

'use client';

import { Component, useEffect, type ReactNode } from 'react';
import { useElementsPromise_UNSTABLE as useElementsPromise } from 'waku/minimal/client';
import { useRouter } from 'waku/router/client';

import { isFailedImport } from '../navigation/import-again.ts';
import { describeShown, dropDocumentDigest, type ShownError } from './browser-digest.ts';

type Caught =
  | { readonly status: 'fine' }
  | {
      readonly status: 'failed' | 'retrying';
      readonly error: unknown;
      readonly identity: ShownError;
      readonly page: Page | undefined;
    };

/** What is known of a page that failed, for whatever is shown in its place. */
export type Failure = {
  readonly error: unknown;
  readonly identity: ShownError;
  readonly isRetrying: boolean;
  readonly retry: () => void;
};

/** Called while rendering. What it throws goes to the boundary outside this one. */
type Show = (failure: Failure) => ReactNode;

/** What was being shown: the location, and the server's answer. */
type Page = { readonly location: string; readonly elements: unknown };

type Props = {
  readonly location: string;
  /** Changes with every answer of the server: by a navigation, a reload or an action. */
  readonly elements: unknown;
  readonly onRetry: () => Promise<void>;
  readonly show: Show;
  readonly children: ReactNode;
};

type State = { readonly caught: Caught };

/**
 * Keeps what is shown for as long as the failed page would be shown. Another page, or the same page fetched again, is
 * rendered. Rendering the failed page again would only fail again.
 */
class Boundary extends Component<Props, State> {
  override state: State = { caught: { status: 'fine' } };

  static getDerivedStateFromError(error: unknown): State {
    return { caught: { status: 'failed', error, identity: describeShown(error), page: undefined } };
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
    const { caught } = this.state;
    // React remembers a module of a page that failed. Only another document asks for it again.
    if (caught.status !== 'fine' && isFailedImport(caught.error)) return location.reload();
    this.mark('failed', 'retrying');
    // When the router cannot fetch a page, it throws at the place where this boundary catches.
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
        return this.props.show({ ...caught, isRetrying: caught.status === 'retrying', retry: this.retry });
    }
  }
}

/** Shows something in place of a page that failed, and renders the page again when it is another one. */
export function PageBoundary({ children, show }: { readonly children: ReactNode; readonly show: Show }) {
  const { path, query, reload } = useRouter();
  const elements = useElementsPromise();
  // Errors of the first render have been identified by now. A later error is not the one of the server's page.
  useEffect(dropDocumentDigest, []);
  return (
    <Boundary location={`${path}?${query}`} elements={elements} onRetry={reload} show={show}>
      {children}
    </Boundary>
  );
}

'use client';

import { Component, type ReactNode } from 'react';

import { importPart } from '#viewer/import-part.ts';
import { describeShown, type ShownError } from './browser-digest.ts';
import { formatDigest } from '#report/digest.ts';
import { failureTitle } from './failure-text.ts';

type State = {
  readonly caught:
    | { readonly status: 'fine' }
    | {
        readonly status: 'failed';
        readonly identity: ShownError;
        /** Loaded when it is needed: few visitors ever see it. */
        readonly document?: typeof import('./late-document.tsx');
      };
};

/**
 * The last boundary, around the router itself. It is for a failing root layout or first payload, when there is no
 * document left that could show an error.
 */
export class RootBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { caught: { status: 'fine' } };

  static getDerivedStateFromError(error: unknown): State {
    return { caught: { status: 'failed', identity: describeShown(error) } };
  }

  override componentDidCatch(): void {
    void importPart(() => import('./late-document.tsx')).then(
      (document) =>
        this.setState(({ caught }) => (caught.status === 'fine' ? null : { caught: { ...caught, document } })),
      () => undefined,
    );
  }

  override render(): ReactNode {
    const { caught } = this.state;
    switch (caught.status) {
      case 'fine':
        return this.props.children;
      case 'failed': {
        const { identity, document: loaded } = caught;
        if (loaded) return <loaded.FailedDocument {...identity} />;
        return (
          <html lang="en">
            <body>
              {failureTitle} {formatDigest(identity.digest)}
            </body>
          </html>
        );
      }
    }
  }
}

import { Component, useEffect, type ReactNode } from 'react';

import { describeShown } from '#src/runtime/errors/browser-digest.ts';

import { loadLate } from './late.ts';
import { PlainFailure } from './plain-failure.tsx';
import { toShownFailure, type ShownFailure } from './shown-failure.ts';
import { useLate } from './use-late.ts';

function RootFailure(shown: ShownFailure) {
  const late = useLate();
  useEffect(() => void loadLate(), []);
  if (late) return <late.FailedDocument {...shown} />;
  return (
    <html lang="en">
      <body>
        <PlainFailure digest={shown.digest} />
      </body>
    </html>
  );
}

/** The last boundary, around the app's router: for a root layout or first payload that fails. */
export class RootGuard extends Component<{ readonly children: ReactNode }, { readonly shown?: ShownFailure }> {
  override state: { readonly shown?: ShownFailure } = {};

  static getDerivedStateFromError(error: unknown): { readonly shown: ShownFailure } {
    return { shown: toShownFailure(describeShown(error)) };
  }

  override render(): ReactNode {
    const { shown } = this.state;
    return shown ? <RootFailure {...shown} /> : this.props.children;
  }
}

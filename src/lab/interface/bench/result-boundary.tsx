import { Component, type ReactNode } from 'react';

type Props = {
  /** What is rendered. What threw in one is over when there is another. */
  readonly of: unknown;
  readonly children: ReactNode;
};
type State = { readonly thrown: { readonly error: unknown } | undefined; readonly of: unknown };

function readDigest(error: unknown): string | undefined {
  const digest = typeof error === 'object' && error !== null && 'digest' in error ? error.digest : undefined;
  return typeof digest === 'string' && digest !== '' ? digest : undefined;
}

/** Where an experiment throws: its page shows an error page, here only the result is gone. */
export class ResultBoundary extends Component<Props, State> {
  override state: State = { thrown: undefined, of: this.props.of };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { thrown: { error } };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    return of === state.of ? null : { thrown: undefined, of };
  }

  override render(): ReactNode {
    const { thrown } = this.state;
    if (!thrown) return this.props.children;
    const { error } = thrown;
    const digest = readDigest(error);
    return (
      <div role="alert" className="stack-1.5">
        <p>
          <strong className="font-medium">It threw, and nothing caught it.</strong> Its page shows an error page here.
        </p>
        <p className="code [overflow-wrap:anywhere]">
          {digest === undefined ? (error instanceof Error ? error.message : String(error)) : `Digest ${digest}`}
        </p>
      </div>
    );
  }
}

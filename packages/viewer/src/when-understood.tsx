import type { ReactNode } from 'react';

import type { OpenedFlight } from './opened-flight.ts';
import type { Understood } from './understand-task.ts';
import { useUnderstood } from './use-understood.ts';

type WhenUnderstoodProps = {
  readonly opened: OpenedFlight;
  /** What is being counted: "the bytes". */
  readonly what: string;
  readonly children: (understood: Understood) => ReactNode;
};

/** Shows what depends on the counting. Until the counting ends, it says that it goes on. */
export function WhenUnderstood({ opened, what, children }: WhenUnderstoodProps) {
  const state = useUnderstood(opened);
  switch (state.kind) {
    case 'counting':
      return (
        <p role="status" className="text-quiet">
          Counting {what} …
        </p>
      );
    case 'failed':
      return <p role="alert">This could not be counted: {state.reason}</p>;
    case 'known':
      return children(state.understood);
  }
}

'use client';

import { useState, type SyntheticEvent } from 'react';

import { useHydrated } from '#viewer/use-hydrated.ts';
import { PartFailed } from '#viewer/part-failed.tsx';
import { createPart } from '#src/runtime/navigation/use-part.ts';

/**
 * The flight that brought the page, beside the experiment. It comes by requests of its own, after the page: what is measured is
 * not changed by being shown. In production they are sent when the reader opens it, and in every experiment after that one; in
 * development, where somebody writes an experiment, at once.
 */
const useViewer = createPart(async () => (await import('./loaded-flight.tsx')).LoadedFlight);

/**
 * Without `lazy` and Suspense: on a page that failed after its shell, React keeps the errors of hydration until the next Suspense
 * boundary is complete, and would log and report them here.
 */
function Loading(props: SentFlightProps) {
  const viewer = useViewer();
  switch (viewer.kind) {
    case 'loading':
      return <p role="status">Loading the viewer …</p>;
    case 'failed':
      return <PartFailed name="The viewer" onRetry={viewer.retry} />;
    case 'ready':
      return <viewer.part key={props.request ?? ''} {...props} />;
  }
}

const memory = 'lab-flight';

/** A browser may refuse to remember. Then each page is opened anew. */
function remembersOpen(): boolean {
  try {
    const kept = globalThis.sessionStorage.getItem(memory);
    return kept === null ? import.meta.env.DEV : kept === 'open';
  } catch {
    return import.meta.env.DEV;
  }
}

function remember(isOpen: boolean): void {
  try {
    globalThis.sessionStorage.setItem(memory, isOpen ? 'open' : 'closed');
  } catch {
    // See above.
  }
}

function Opened(props: SentFlightProps) {
  const [isOpen, setOpen] = useState(remembersOpen);

  function follow({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) {
    setOpen(currentTarget.open);
    remember(currentTarget.open);
  }

  return (
    <details open={isOpen} onToggle={follow} className="stack-3">
      <summary>What was sent, here</summary>
      {isOpen ? <Loading {...props} /> : null}
    </details>
  );
}

type SentFlightProps = {
  readonly name: string;
  /** Undefined for a page that was made at build time: then its newest flight is shown. */
  readonly request: string | undefined;
};

export function SentFlight(props: SentFlightProps) {
  return useHydrated() ? <Opened {...props} /> : null;
}

'use client';

import './bench.css';

import { PartFailed } from '#viewer/part-failed.tsx';
import { useHydrated } from '#viewer/use-hydrated.ts';
import { createPart } from '#src/runtime/navigation/use-part.ts';

import type { BenchProps } from './bench.tsx';

const useBench = createPart(async () => (await import('./bench.tsx')).Bench);

function Loading(props: BenchProps) {
  const bench = useBench();
  switch (bench.kind) {
    case 'loading':
      return <p role="status">Loading the payload …</p>;
    case 'failed':
      return <PartFailed name="The payload" onRetry={bench.retry} />;
    case 'ready':
      return <bench.part {...props} />;
  }
}

/** The payload of an experiment alone and its result, beside its source. Without JavaScript the page has links to both. */
export function SentAlone(props: BenchProps) {
  return useHydrated() ? <Loading {...props} /> : null;
}

import { unstable_notFound as notFound } from 'waku/router/server';

import { isPageNumber, PrefetchedPage } from '#src/lab/prefetch.tsx';

export default function DynamicPrefetchedPage({ number }: { number: string }) {
  if (!isPageNumber(number)) notFound();
  return (
    <div className="stack-3">
      <title>{`Page ${number} · Flight Recorder`}</title>
      <PrefetchedPage number={number} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

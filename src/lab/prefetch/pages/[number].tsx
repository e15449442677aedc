import { unstable_notFound as notFound } from 'waku/router/server';

import { isPageNumber } from '../numbers.ts';
import { PrefetchedPage } from '../prefetched-page.tsx';

export default function DynamicPrefetchedPage({ number }: { number: string }) {
  if (!isPageNumber(number)) notFound();
  return <PrefetchedPage number={number} />;
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

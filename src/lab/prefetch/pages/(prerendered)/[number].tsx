import { staticNumbers } from '../../numbers.ts';
import { PrefetchedPage } from '../../prefetched-page.tsx';

export default function StaticPrefetchedPage({ number }: { number: string }) {
  return <PrefetchedPage number={number} />;
}

export async function getConfig() {
  return { render: 'static', staticPaths: staticNumbers } as const;
}

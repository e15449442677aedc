import { PrefetchedPage, staticNumbers } from '#src/lab/prefetch.tsx';

export default function StaticPrefetchedPage({ number }: { number: string }) {
  return (
    <main>
      <title>{`Page ${number} · Flight Recorder`}</title>
      <PrefetchedPage number={number} />
    </main>
  );
}

export async function getConfig() {
  return { render: 'static', staticPaths: staticNumbers } as const;
}

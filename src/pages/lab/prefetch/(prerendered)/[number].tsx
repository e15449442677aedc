import { PrefetchedPage, staticNumbers } from '#src/lab/prefetch.tsx';

export default function StaticPrefetchedPage({ number }: { number: string }) {
  return (
    <div className="stack-3">
      <title>{`Page ${number} · Flight Recorder`}</title>
      <PrefetchedPage number={number} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'static', staticPaths: staticNumbers } as const;
}

import { PrefetchLab } from '#src/lab/prefetch.tsx';

export default function PrefetchPage() {
  return (
    <main>
      <title>Prefetching · Flight Recorder</title>
      <PrefetchLab />
    </main>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}

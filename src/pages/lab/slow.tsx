import { SlowLab } from '#src/lab/slow.tsx';

export default function SlowPage({ query }: { query: string }) {
  return (
    <main>
      <title>Slow page · Flight Recorder</title>
      <SlowLab query={query} />
    </main>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

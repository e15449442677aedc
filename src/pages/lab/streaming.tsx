import { StreamingLab } from '#src/lab/streaming.tsx';

export default function StreamingPage({ query }: { query: string }) {
  return (
    <main>
      <title>Streaming page · Flight Recorder</title>
      <StreamingLab query={query} />
    </main>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

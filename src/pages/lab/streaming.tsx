import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { StreamingLab } from '#src/lab/streaming.tsx';

export default function StreamingPage({ query }: { query: string }) {
  return (
    <LabPage {...describeExperiment('streaming')}>
      <StreamingLab query={query} />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

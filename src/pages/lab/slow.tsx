import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { SlowLab } from '#src/lab/slow.tsx';

export default function SlowPage({ query }: { query: string }) {
  return (
    <LabPage {...describeExperiment('slow')}>
      <SlowLab query={query} />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

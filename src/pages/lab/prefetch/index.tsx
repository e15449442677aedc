import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { PrefetchLab } from '#src/lab/prefetch.tsx';

export default function PrefetchPage() {
  return (
    <LabPage {...describeExperiment('prefetch')}>
      <PrefetchLab />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}

import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { StalledLab } from '#src/lab/stalled.tsx';

export default function StalledPage() {
  return (
    <LabPage {...describeExperiment('stalled')}>
      <StalledLab />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

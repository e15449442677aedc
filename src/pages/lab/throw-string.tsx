import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { ThrowString } from '#src/lab/throw-string.tsx';

export default function ThrowStringPage() {
  return (
    <LabPage {...describeExperiment('throw-string')}>
      <ThrowString />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

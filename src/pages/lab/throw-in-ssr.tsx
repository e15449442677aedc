import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { ThrowInSsr } from '#src/lab/throw-in-ssr.tsx';

export default function ThrowInSsrPage() {
  return (
    <LabPage {...describeExperiment('throw-in-ssr')}>
      <ThrowInSsr />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { ThrowAfterShell } from '#src/lab/throw-after-shell.tsx';

export default function ThrowAfterShellPage() {
  return (
    <LabPage {...describeExperiment('throw-after-shell')}>
      <ThrowAfterShell />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

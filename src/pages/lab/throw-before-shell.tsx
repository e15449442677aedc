import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { ThrowBeforeShell } from '#src/lab/throw-before-shell.tsx';

export default function ThrowBeforeShellPage() {
  return (
    <LabPage {...describeExperiment('throw-before-shell')}>
      <ThrowBeforeShell />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

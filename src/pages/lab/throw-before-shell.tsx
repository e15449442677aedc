import { LabPage } from '#src/components/lab-page.tsx';
import { experiments } from '#src/lab/experiments.ts';
import { readSource } from '#src/lab/read-source.ts';
import { ThrowBeforeShell } from '#src/lab/throw-before-shell.tsx';

export default function ThrowBeforeShellPage() {
  return (
    <LabPage
      {...experiments['throw-before-shell']}
      source={readSource('throw-before-shell')}
      file="src/lab/throw-before-shell.tsx"
    >
      <ThrowBeforeShell />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import { LabPage } from '#src/components/lab-page.tsx';
import { experiments } from '#src/lab/experiments.ts';
import { readSource } from '#src/lab/read-source.ts';
import { ThrowAfterShell } from '#src/lab/throw-after-shell.tsx';

export default function ThrowAfterShellPage() {
  return (
    <LabPage
      {...experiments['throw-after-shell']}
      source={readSource('throw-after-shell')}
      file="src/lab/throw-after-shell.tsx"
    >
      <ThrowAfterShell />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import { LabPage } from '#src/components/lab-page.tsx';
import { experiments } from '#src/lab/experiments.ts';
import { readSource } from '#src/lab/read-source.ts';
import { ThrowString } from '#src/lab/throw-string.tsx';

export default function ThrowStringPage() {
  return (
    <LabPage {...experiments['throw-string']} source={readSource('throw-string')} file="src/lab/throw-string.tsx">
      <ThrowString />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

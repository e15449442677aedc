import { LabPage } from '#src/components/lab-page.tsx';
import { experiments } from '#src/lab/experiments.ts';
import { readSource } from '#src/lab/read-source.ts';
import { ThrowInSsr } from '#src/lab/throw-in-ssr.tsx';

export default function ThrowInSsrPage() {
  return (
    <LabPage {...experiments['throw-in-ssr']} source={readSource('throw-in-ssr')} file="src/lab/throw-in-ssr.tsx">
      <ThrowInSsr />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import { LabPage } from '#src/components/lab-page.tsx';
import { experiments } from '#src/lab/experiments.ts';
import { readSource } from '#src/lab/read-source.ts';
import { ThrowInBrowser } from '#src/lab/throw-in-browser.tsx';

export default function ThrowInBrowserPage() {
  return (
    <LabPage
      {...experiments['throw-in-browser']}
      source={readSource('throw-in-browser')}
      file="src/lab/throw-in-browser.tsx"
    >
      <ThrowInBrowser />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

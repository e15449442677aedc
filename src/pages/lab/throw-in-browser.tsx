import { LabPage } from '#src/components/lab-page.tsx';
import { describeExperiment } from '#src/lab/experiments.ts';
import { ThrowInBrowser } from '#src/lab/throw-in-browser.tsx';

export default function ThrowInBrowserPage() {
  return (
    <LabPage {...describeExperiment('throw-in-browser')}>
      <ThrowInBrowser />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import { LabPage } from '#src/components/lab-page.tsx';
import { CounterForm } from '#src/lab/actions/counter-form.tsx';
import { throwOnPurpose } from '#src/lab/actions/throw-on-purpose.ts';
import { describeExperiment } from '#src/lab/experiments.ts';

export default function ThrowInActionPage() {
  return (
    <LabPage {...describeExperiment('throw-in-action')}>
      <p>The form’s action throws on the server; the page that follows says so, with the digest.</p>
      <CounterForm action={throwOnPurpose} label="Throw" />
    </LabPage>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

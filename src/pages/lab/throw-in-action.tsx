import { throwOnPurpose } from '#src/lab/actions/throw-on-purpose.ts';
import { CounterForm } from '#src/lab/actions/counter-form.tsx';

export default function ThrowInActionPage() {
  return (
    <main>
      <title>Throw in an action</title>
      <h1>Throw in an action</h1>
      <p>The form’s action throws on the server; the page that follows says so, with the digest.</p>
      <CounterForm action={throwOnPurpose} label="Throw" />
    </main>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

'use client';

import type { ReactNode } from 'react';
import { useFormStatus } from 'react-dom';

function SubmitButton({ label }: { label: string }) {
  const { pending } = useFormStatus();
  return <button aria-busy={pending || undefined}>{pending ? `${label} …` : label}</button>;
}

/** A form with only a button. It keeps the page when its action is refused. */
export function CounterForm({
  action,
  label,
  children,
}: {
  action: (form: FormData) => Promise<void>;
  label: string;
  children?: ReactNode;
}) {
  return (
    <form action={action} aria-label={label}>
      {children}
      <SubmitButton label={label} />
    </form>
  );
}

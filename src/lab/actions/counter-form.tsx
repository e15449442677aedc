'use client';

import type { ReactNode } from 'react';

import { useFormAction } from '#src/runtime/actions/use-form-action.ts';

/** A form that has nothing but its button, and keeps the page when its action is refused. */
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
    <form {...useFormAction(action)} aria-label={label}>
      {children}
      <button>{label}</button>
    </form>
  );
}

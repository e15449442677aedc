'use client';

import { useTransition, type ReactNode } from 'react';

import { useNavigate } from '#src/runtime/navigation/use-navigate.ts';

/** Navigates from code, as an app does after saving something. */
export function PushButton({ href, children }: { href: string; children: ReactNode }) {
  const { push } = useNavigate();
  const [isPending, startTransition] = useTransition();
  return (
    <button type="button" aria-busy={isPending} onClick={() => startTransition(() => push(href))}>
      {children}
    </button>
  );
}

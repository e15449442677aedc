'use client';

import { useTransition } from 'react';

import { useNavigate } from '#src/runtime/navigation/use-navigate.ts';

export function ReloadButton() {
  const { reload } = useNavigate();
  const [isPending, startTransition] = useTransition();
  return (
    <button type="button" aria-busy={isPending} onClick={() => startTransition(reload)}>
      Load this page’s data again
    </button>
  );
}

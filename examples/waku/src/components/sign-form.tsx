'use client';

import { useActionState } from 'react';

import { sign } from '../guest-book/sign';

export function SignForm() {
  const [message, action, isPending] = useActionState(sign, '');
  return (
    <form action={action}>
      <label>
        Name <input name="name" required />
      </label>
      <label>
        Text <input name="text" required />
      </label>
      <button disabled={isPending}>Sign</button>
      <p role="status">{message}</p>
    </form>
  );
}

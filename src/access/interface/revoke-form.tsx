'use client';

import { revokeSession, type RevokeState } from '#src/access/actions/revoke-session.ts';
import { useFormState } from '#src/runtime/actions/use-form-state.ts';

/** @param browser the browser that is signed out, named for people who hear the button and do not see its row */
export function RevokeForm({ id, browser }: { id: string; browser: string }) {
  const { state, pending, form } = useFormState<RevokeState>(revokeSession, { status: 'idle' });
  return (
    <form action={form}>
      <input type="hidden" name="id" value={id} />
      <button className="button-small" aria-busy={pending || undefined} aria-label={`Sign out ${browser}`}>
        Sign out
      </button>
      {state.status === 'gone' ? <output className="text-sm text-quiet">It had ended already.</output> : null}
    </form>
  );
}

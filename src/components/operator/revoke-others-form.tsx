'use client';

import { revokeOtherSessions } from '#src/actions/revoke-other-sessions.ts';
import { useFormAction } from '#src/runtime/actions/use-form-action.ts';

export function RevokeOthersForm() {
  return (
    <form {...useFormAction(revokeOtherSessions)}>
      <button className="button-small">Sign out all others</button>
    </form>
  );
}

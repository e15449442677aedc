import { revokeOtherSessions } from '#src/access/actions/revoke-other-sessions.ts';

export function RevokeOthersForm() {
  return (
    <form action={revokeOtherSessions}>
      <button className="button-small">Sign out all others</button>
    </form>
  );
}

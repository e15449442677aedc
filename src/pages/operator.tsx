import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { alertsPath, logoutPath } from '#src/server/http/addresses.ts';
import { EmptyState } from '#viewer/empty-state.tsx';
import { ApiTokens } from '#src/api/interface/api-tokens.tsx';
import { DeviceLink } from '#src/access/interface/device-link.tsx';
import { RevokeOthersForm } from '#src/access/interface/revoke-others-form.tsx';
import { SessionList } from '#src/access/interface/session-list.tsx';
import { Panel } from '#viewer/panel.tsx';
import { currentMadeToken, listTokens } from '#src/access/api-tokens.ts';
import { canLinkDevices, currentDeviceLink } from '#src/access/device-link.ts';
import { operatorCommandHere } from '#src/access/operator-command.ts';
import { hasPassword } from '#src/access/password.ts';
import { readRefusedTokens } from '#src/access/refused-tokens.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { listSessions } from '#src/access/signed-in.ts';

function SignOut() {
  return (
    <form method="post" action={logoutPath}>
      <button className="button-small">Sign out</button>
    </form>
  );
}

export default async function OperatorPage() {
  const isLoginOff = requireOperator().kind === 'login-off';
  const sessions = await listSessions();
  const takesPassword = await hasPassword();
  const tokens = await listTokens();
  const apps = await listAppNames();
  const now = Date.now();
  return (
    <div className="stack-5">
      <title>Operator · Flight Recorder</title>
      <KnownApps />
      <div className="stack-2">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h1>Operator</h1>
          {isLoginOff ? null : <SignOut />}
        </div>
        <p>
          {isLoginOff
            ? 'Sign-in is off: everybody who can use this machine is the operator. Start without FLIGHT_AUTH=off to turn it on.'
            : 'Everybody who is signed in here sees everything that is recorded.'}
        </p>
      </div>
      <Panel title="Signed in" aside={sessions.some((session) => !session.isThisOne) ? <RevokeOthersForm /> : null}>
        {sessions.length > 0 ? (
          <SessionList sessions={sessions} now={now} />
        ) : (
          <EmptyState title="Nobody is signed in">
            <p>A session begins with a login link or the password.</p>
          </EmptyState>
        )}
        <p className="text-sm text-quiet">
          A session ends 12 hours after its last request, and 14 days after it began. One that is signed out here ends
          at its next request.
        </p>
      </Panel>
      <Panel title="Tokens of the API">
        <ApiTokens tokens={tokens} made={currentMadeToken()} refused={readRefusedTokens()} apps={apps} now={now} />
      </Panel>
      <Panel title="Alerts">
        <p>
          <Link to={alertsPath} prefetch="intent">
            Who is told of new faults
          </Link>
          : a chat, a program of yours, or an e-mail address.
        </p>
      </Panel>
      <Panel title="Ways to sign in">
        {isLoginOff ? null : <DeviceLink link={currentDeviceLink()} canLink={canLinkDevices()} />}
        <p>
          A new login link: <code>{operatorCommandHere('login-link')}</code>
        </p>
        <p>
          {takesPassword ? 'There is a password. To change it' : 'There is no password. To set one'}:{' '}
          <code>{operatorCommandHere('password set')}</code>. This signs everybody out.
        </p>
      </Panel>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

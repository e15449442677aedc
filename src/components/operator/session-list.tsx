import { Moment } from '#src/components/moment.tsx';
import type { ListedSession } from '#src/operator/signed-in.ts';

import { nameBrowser } from './name-browser.ts';
import { RevokeForm } from './revoke-form.tsx';

const ways = { 'login-link': 'a login link', password: 'the password' };

/** Who is signed in. On a narrow screen each row folds. */
export function SessionList({ sessions, now }: { sessions: readonly ListedSession[]; now: number }) {
  return (
    <table className="fold" aria-label="Sessions">
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Address</th>
          <th scope="col">Signed in</th>
          <th scope="col">Last seen</th>
          <th scope="col">
            <span className="sr-only">Sign out</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <th scope="row" title={session.userAgent}>
              {nameBrowser(session.userAgent)}{' '}
              {session.isThisOne ? <strong className="font-semibold text-accent-text">this browser</strong> : null}
            </th>
            <td className="code">{session.address || 'not known'}</td>
            <td>
              <span className="sm:hidden">signed in </span>
              <Moment time={session.created} now={now} isDense /> with {ways[session.openedBy]}
            </td>
            <td>
              <span className="sm:hidden">last seen </span>
              <Moment time={session.lastSeen} now={now} isDense />
            </td>
            <td>
              {session.isThisOne ? null : <RevokeForm id={session.id} browser={nameBrowser(session.userAgent)} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

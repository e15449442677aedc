import { Moment } from '#src/ui/moment.tsx';
import type { ListedSession } from '#src/access/signed-in.ts';
import { nameDevice } from '#src/server/http/name-browser.ts';
import { TableHead } from '#viewer/table-head.tsx';

import { RevokeForm } from './revoke-form.tsx';

const ways = { 'login-link': 'a login link', password: 'the password' };

/** Who is signed in. On a narrow screen each row folds. */
export function SessionList({ sessions, now }: { sessions: readonly ListedSession[]; now: number }) {
  return (
    <table className="fold" aria-label="Sessions">
      <TableHead columns={['Browser', 'Address', 'Signed in', 'Last seen', { hidden: 'Sign out' }]} />
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <th scope="row" title={session.userAgent}>
              {nameDevice(session.userAgent)}{' '}
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
            <td>{session.isThisOne ? null : <RevokeForm id={session.id} browser={nameDevice(session.userAgent)} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

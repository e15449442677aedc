import { Moment } from '#src/ui/moment.tsx';
import type { ListedSession } from '#src/access/signed-in.ts';
import { nameDevice } from '#src/server/http/name-browser.ts';
import { Table, type Column } from '#viewer/table.tsx';

import { RevokeForm } from './revoke-form.tsx';

const ways = { 'login-link': 'a login link', password: 'the password' };

function listColumns(now: number): readonly Column<ListedSession>[] {
  return [
    {
      head: 'Browser',
      isRowName: true,
      cell: ({ userAgent, isThisOne }) => (
        <>
          <span title={userAgent}>{nameDevice(userAgent)}</span>{' '}
          {isThisOne ? <strong className="font-semibold text-accent-text">this browser</strong> : null}
        </>
      ),
    },
    { head: 'Address', isPlain: true, className: 'code', cell: ({ address }) => address || 'not known' },
    {
      head: 'Signed in',
      cell: ({ created, openedBy }) => (
        <>
          <Moment time={created} now={now} isDense /> with {ways[openedBy]}
        </>
      ),
    },
    { head: 'Last seen', cell: ({ lastSeen }) => <Moment time={lastSeen} now={now} isDense /> },
    {
      head: 'Sign out',
      isHidden: true,
      cell: ({ id, isThisOne, userAgent }) =>
        isThisOne ? null : <RevokeForm id={id} browser={nameDevice(userAgent)} />,
    },
  ];
}

/** Who is signed in. */
export function SessionList({ sessions, now }: { sessions: readonly ListedSession[]; now: number }) {
  return <Table label="Sessions" columns={listColumns(now)} rows={sessions} keyOf={({ id }) => id} />;
}

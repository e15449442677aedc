import { formatCount } from '#flight';
import type { CountedRefusal } from '#src/apps/refusals.ts';
import { timeColumn } from '#src/ui/time-column.tsx';
import { Table, type Column } from '#viewer/table.tsx';

/** What each code means for somebody who set up a sender. A code that is not here is shown as it is. */
const words: Readonly<Record<string, string>> = {
  'not-for-uploads':
    'Source maps came with the secret key. Make an upload token below, and set it as SENTRY_AUTH_TOKEN where the app is built.',
  'wrong-key': 'The key was not this app’s. Copy the address and the key again, and restart the sender.',
  'unknown-key': 'The key was not this app’s. Copy the DSN again.',
  'no-key': 'It named no key. Copy the DSN again.',
  'malformed-request': 'It could not be read: the log of this server says what was wrong, in a line request-refused.',
  'body-too-large': 'It was larger than what is taken at once.',
  'unsupported-type': 'Its content type is not one that is taken.',
  'unsupported-encoding': 'It was packed with something that is not taken here.',
  'not-stored': 'It could not be stored: the disk was full or too slow.',
  overloaded: 'This server had too much to do.',
  'too-slow': 'It did not arrive in time.',
  'too-many-requests': 'It was sent too often.',
};

function listColumns(now: number): readonly Column<CountedRefusal>[] {
  return [
    { head: 'What', isRowName: true, cell: ({ endpoint }) => endpoint },
    {
      head: 'Why',
      isPlain: true,
      className: 'sm:w-full',
      cell: ({ reason }) => (
        <>
          {words[reason]} <span className="code text-quiet">{reason}</span>
        </>
      ),
    },
    { head: 'How often', cell: ({ count }) => formatCount(count) },
    timeColumn('Last', now, (row) => row.lastTime),
  ];
}

/** What was sent for the app and refused, and why. */
export function RefusalList({ refusals, now }: { refusals: readonly CountedRefusal[]; now: number }) {
  if (refusals.length === 0) {
    return <p className="text-quiet">Nothing that was sent for this app was refused.</p>;
  }
  const keyOf = ({ endpoint, reason }: CountedRefusal) => `${endpoint} ${reason}`;
  return <Table label="Refused" columns={listColumns(now)} rows={refusals} keyOf={keyOf} />;
}

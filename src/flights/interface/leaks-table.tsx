import type { ReactNode } from 'react';

import { formatCount, printShapePlace } from '#flight';
import { timeColumn } from '#src/ui/time-column.tsx';
import { Table, type Column } from '#viewer/table.tsx';

import type { CacheLeak } from '../for-operator/list-leaks.ts';
import type { StoredLeak } from '../flight/leak.ts';
import { lastRequestColumn } from './last-request-column.tsx';

function keyOf({ app, name, component, path, route }: StoredLeak): string {
  return [app, name, component, path, route].join(' ');
}

function listColumns<Leak extends StoredLeak>(
  now: number,
  describe: (leak: Leak) => ReactNode,
): readonly Column<Leak>[] {
  return [
    {
      head: 'What',
      isRowName: true,
      className: 'first-letter:uppercase sm:w-[46%]',
      cell: (leak) => (
        <>
          {leak.name}
          {describe(leak)}
        </>
      ),
    },
    { head: 'App', cell: ({ app }) => app },
    { head: 'Route', cell: ({ route }) => <span className="code [overflow-wrap:anywhere]">{route}</span> },
    { head: 'Responses', cell: ({ count }) => formatCount(count) },
    timeColumn('Since', now, (leak) => leak.first_at),
    lastRequestColumn(now),
  ];
}

function describePlace(leak: StoredLeak) {
  return <p className="code font-normal [overflow-wrap:anywhere] text-quiet">{printShapePlace(leak)}</p>;
}

/** One row for each place in a page. */
export function SecretsTable({ secrets, now }: { secrets: readonly StoredLeak[]; now: number }) {
  return <Table label="Secrets in payloads" columns={listColumns(now, describePlace)} rows={secrets} keyOf={keyOf} />;
}

/** What stands between two `…` is code. */
function describeAdvice({ advice }: CacheLeak) {
  return (
    <p className="font-normal text-quiet">
      {advice.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </p>
  );
}

/** One row for each route, with what to set. */
export function CachesTable({ caches, now }: { caches: readonly CacheLeak[]; now: number }) {
  return <Table label="Answers in caches" columns={listColumns(now, describeAdvice)} rows={caches} keyOf={keyOf} />;
}

import type { ReactNode } from 'react';

import { formatCount, printShapePlace } from '#flight';
import { flightOfRequestPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { TableHead } from '#viewer/table-head.tsx';

import type { CacheLeak } from '../for-operator/list-leaks.ts';
import type { StoredLeak } from '../flight/leak.ts';

function Leak({ leak, now, children }: { leak: StoredLeak; now: number; children: ReactNode }) {
  const { app, name, route, count, first_at: firstAt, last_at: lastAt, request_id: requestId } = leak;
  return (
    <tr>
      <th scope="row" className="first-letter:uppercase sm:w-[46%]">
        {name}
        {children}
      </th>
      <td data-label="App">{app}</td>
      <td data-label="Route">
        <span className="code [overflow-wrap:anywhere]">{route}</span>
      </td>
      <td data-label="Responses">{formatCount(count)}</td>
      <td data-label="Since" className="whitespace-nowrap">
        <Moment time={firstAt} now={now} isDense />
      </td>
      <td data-label="Last" className="whitespace-nowrap">
        <Link to={flightOfRequestPath(requestId)}>
          <Moment time={lastAt} now={now} isDense />
        </Link>
      </td>
    </tr>
  );
}

/** On a narrow screen each row folds. */
function LeakRows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <table className="fold" aria-label={label}>
      <TableHead columns={['What', 'App', 'Route', 'Responses', 'Since', 'Last']} />
      <tbody>{children}</tbody>
    </table>
  );
}

function keyOf({ app, name, component, path, route }: StoredLeak): string {
  return [app, name, component, path, route].join(' ');
}

/** One row for each place in a page. */
export function SecretsTable({ secrets, now }: { secrets: readonly StoredLeak[]; now: number }) {
  return (
    <LeakRows label="Secrets in payloads">
      {secrets.map((leak) => (
        <Leak key={keyOf(leak)} leak={leak} now={now}>
          <p className="code font-normal [overflow-wrap:anywhere] text-quiet">{printShapePlace(leak)}</p>
        </Leak>
      ))}
    </LeakRows>
  );
}

/** One row for each route, with what to set: what stands between two `…` is code. */
export function CachesTable({ caches, now }: { caches: readonly CacheLeak[]; now: number }) {
  return (
    <LeakRows label="Answers in caches">
      {caches.map((leak) => (
        <Leak key={keyOf(leak)} leak={leak} now={now}>
          <p className="font-normal text-quiet">
            {leak.advice.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
          </p>
        </Leak>
      ))}
    </LeakRows>
  );
}

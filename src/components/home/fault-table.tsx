import { formatCount } from '#flight';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { Moment } from '#src/components/moment.tsx';
import { faultPath } from '#src/http/addresses.ts';
import type { ListedFault } from '#src/reports/faults/list-faults.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Sparkline } from './sparkline.tsx';

const newsWords = { new: 'new', regressed: 'regressed', woke: 'back from snooze' } as const;

/** Why somebody should look at it; else what was made of it. */
function State({ fault: { news, state } }: { fault: Pick<ListedFault, 'news' | 'state'> }) {
  if (news === null) return <span>{state}</span>;
  return (
    <span className="badge" data-kind="error">
      {newsWords[news]}
    </span>
  );
}

type FaultTableProps = {
  readonly faults: readonly ListedFault[];
  readonly now: number;
  /** Whose faults these may be. With one app alone, its name on each line says nothing. */
  readonly apps: readonly AppName[];
};

function Row({ fault, now, apps }: Omit<FaultTableProps, 'faults'> & { fault: ListedFault }) {
  const { id, name, message, culprit, app, side, count, claims, users } = fault;
  // An app that was deleted has no name any more.
  const appName = apps.length > 1 ? (apps.find((one) => one.id === app)?.name ?? app) : undefined;
  return (
    <tr>
      <th scope="row" className="sm:w-full">
        <span className="line-clamp-2 font-normal">
          <Link to={faultPath(id)} prefetch="intent" className="font-semibold">
            {name}
          </Link>{' '}
          {message}
        </span>
        <span className="block text-[0.8125rem] font-normal text-quiet">
          {appName === undefined ? '' : `${appName} · `}
          <span className="code">{culprit}</span>
          {side === 'browser' ? ' · only browsers reported it' : ''}
        </span>
      </th>
      <td data-label="State">
        <State fault={fault} />
      </td>
      <td data-label="Count" className="whitespace-nowrap">
        {formatCount(count + claims)}
      </td>
      <td data-label="24 h">
        <Sparkline recent={fault.recent} />
      </td>
      <td data-label="Users">
        {users === 0 ? (
          <span className="text-quiet" title="Senders named no user">
            –
          </span>
        ) : (
          formatCount(users)
        )}
      </td>
      <td data-label="First" className="sm:whitespace-nowrap">
        <Moment time={fault.firstTime} now={now} isDense />
      </td>
      <td data-label="Last" className="sm:whitespace-nowrap">
        <Moment time={fault.lastTime} now={now} isDense />
      </td>
    </tr>
  );
}

/** Faults, one row each. On a narrow screen each row folds. */
export function FaultTable({ faults, now, apps }: FaultTableProps) {
  return (
    <table className="fold flight-table live-list" aria-label="Faults">
      <thead>
        <tr>
          <th scope="col">Fault</th>
          <th scope="col">State</th>
          <th scope="col">Count</th>
          <th scope="col">Last 24 hours</th>
          <th scope="col">Users</th>
          <th scope="col">First</th>
          <th scope="col">Last</th>
        </tr>
      </thead>
      <tbody>
        {faults.map((fault) => (
          <Row key={fault.id} fault={fault} now={now} apps={apps} />
        ))}
      </tbody>
    </table>
  );
}

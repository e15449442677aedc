import '#src/flights/interface/flights.css';
import './faults.css';

import { formatCount } from '#flight';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { Moment } from '#src/ui/moment.tsx';
import { faultPath, faultsPath } from '#src/server/http/addresses.ts';
import type { FaultOrder, ListedFault } from '#src/faults/grouping/list-faults.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFaultQuery, toFirstPage, type FaultQuery } from './fault-query.ts';
import { LevelTag, UnseenBadge, StateTag } from './fault-tags.tsx';
import { ErrorCount } from './error-count.tsx';
import { Sparkline } from './sparkline.tsx';

/** A message may be pages long. The rest is on the fault's page. */
const messageShown = 300;

const orders = [
  ['last', 'last received'],
  ['first', 'first received'],
  ['count', 'events'],
  ['users', 'users'],
] as const satisfies readonly (readonly [FaultOrder, string])[];

function SortLink({ query, by, children }: { query: FaultQuery; by: FaultOrder; children: string }) {
  const isChosen = query.order === by;
  return (
    <Link
      to={`${faultsPath}${formatFaultQuery({ ...toFirstPage(query), order: by })}`}
      prefetch="intent"
      scroll={false}
      aria-current={isChosen ? 'true' : undefined}
    >
      {children}
      {isChosen ? <span aria-hidden="true"> ↓</span> : null}
    </Link>
  );
}

/** The choice of the table's head for a narrow screen, where the table has none. */
export function FaultOrders({ query }: { query: FaultQuery }) {
  return (
    <nav aria-label="Order" className="choice-links where-narrow">
      <span className="text-quiet">Order by</span>
      {orders.map(([by, name]) => (
        <SortLink key={by} query={query} by={by}>
          {name}
        </SortLink>
      ))}
    </nav>
  );
}

type HeadProps = { readonly query: FaultQuery | undefined };

function SortHead({ query, by, children }: HeadProps & { by: FaultOrder; children: string }) {
  if (query === undefined) {
    return (
      <th scope="col" data-column={by}>
        {children}
      </th>
    );
  }
  return (
    <th scope="col" data-column={by} aria-sort={query.order === by ? 'descending' : undefined}>
      <SortLink query={query} by={by}>
        {children}
      </SortLink>
    </th>
  );
}

/** How far the sparklines go back; the link turns it round. */
function SparkLink({ query }: HeadProps) {
  if (query === undefined) return 'Last 24 h';
  const spark = query.spark === '24h' ? '14d' : '24h';
  return (
    <Link
      to={`${faultsPath}${formatFaultQuery({ ...query, spark })}`}
      prefetch="intent"
      scroll={false}
      title={`Show the last ${spark === '24h' ? '24 hours' : '14 days'} instead`}
    >
      {query.spark === '24h' ? 'Last 24 h' : 'Last 14 d'}
    </Link>
  );
}

function Head({ query }: HeadProps) {
  return (
    <thead>
      <tr>
        {query === undefined ? null : (
          <th scope="col" data-column="tick">
            <span className="sr-only">Choose</span>
          </th>
        )}
        <th scope="col">Fault</th>
        <th scope="col" data-column="spark">
          <SparkLink query={query} />
        </th>
        <SortHead query={query} by="count">
          Events
        </SortHead>
        <SortHead query={query} by="users">
          Users
        </SortHead>
        <SortHead query={query} by="first">
          First received
        </SortHead>
        <SortHead query={query} by="last">
          Last received
        </SortHead>
      </tr>
    </thead>
  );
}

/** A word that the head of the table says on a wide screen. */
function Word({ children }: { children: string }) {
  return <span className="sm:hidden">{children}</span>;
}

function Users({ users }: Pick<ListedFault, 'users'>) {
  if (users === 0) return <span title="Nobody named a user">–</span>;
  return (
    <>
      {formatCount(users)}
      <Word>{users === 1 ? ' user' : ' users'}</Word>
    </>
  );
}

type FaultListProps = {
  readonly faults: readonly ListedFault[];
  readonly now: number;
  /** Whose they may be; with one app alone, no row has to say it. */
  readonly apps: readonly AppName[];
  /** Of a list that is ordered and has ticks. */
  readonly query?: FaultQuery | undefined;
  /** What is listed, where it is not all faults. */
  readonly label?: string;
};

type RowProps = Omit<FaultListProps, 'faults' | 'label'> & { readonly fault: ListedFault };

/** Where only faults of one state are listed, no row has to say it. Home lists what is open. */
function hasManyStates(query: FaultQuery | undefined): boolean {
  return query?.state === 'any' || query?.state === 'unseen';
}

function Name({ fault, apps, query }: Omit<RowProps, 'now'>) {
  const { name, message, culprit, level, unseen, state, app } = fault;
  // An app that was deleted has no name any more.
  const appName = apps.length > 1 ? (apps.find(({ id }) => id === app)?.name ?? app) : undefined;
  const place = culprit || 'place not known';
  return (
    <>
      <Link to={faultPath(fault.id, fault.found)} prefetch="intent" className="fault-link">
        <strong>{name || 'Error'}</strong> {message.slice(0, messageShown)}
      </Link>
      <span className="fault-place">
        <UnseenBadge unseen={unseen} />
        <LevelTag level={level} />
        {hasManyStates(query) ? <StateTag state={state} /> : null}
        <span className="code" title={place}>
          {place}
        </span>
        {appName === undefined ? null : <span className="fault-app">{appName}</span>}
      </span>
    </>
  );
}

function Tick({ fault, chosen }: { fault: ListedFault; chosen: FaultQuery['chosen'] }) {
  return (
    <label className="tick">
      <input
        type="checkbox"
        name="fault"
        value={fault.id}
        defaultChecked={chosen !== undefined}
        // All that match are chosen at once, by a field of their own.
        disabled={chosen === 'all'}
        aria-label={`Choose ${fault.name} ${fault.message.slice(0, 80)}`}
      />
    </label>
  );
}

function Row({ fault, now, apps, query }: RowProps) {
  return (
    <tr>
      {query === undefined ? null : (
        <td data-column="tick">
          <Tick fault={fault} chosen={query.chosen} />
        </td>
      )}
      <th scope="row">
        <Name fault={fault} apps={apps} query={query} />
      </th>
      <td data-column="spark">
        <Sparkline recent={fault.recent} />
      </td>
      <td data-column="count">
        <ErrorCount count={fault.count} untrusted={fault.untrusted} />
      </td>
      <td data-column="users" data-empty={fault.users === 0 ? '' : undefined}>
        <Users users={fault.users} />
      </td>
      <td data-column="first">
        <Moment time={fault.firstTime} now={now} isDense />
      </td>
      <td data-column="last">
        <Word>last </Word>
        <Moment time={fault.lastTime} now={now} isDense />
      </td>
    </tr>
  );
}

/** Faults, one row each. On a narrow screen a row is three lines: what it is, where, and its numbers. */
export function FaultList({ faults, now, query, apps, label = 'Faults' }: FaultListProps) {
  return (
    <div className="fault-list">
      <table className={`fold fault-table${query === undefined ? ' live-list' : ''}`} aria-label={label}>
        <Head query={query} />
        {/* Ticks that the address sets are set when the address changes. */}
        <tbody key={query?.chosen}>
          {faults.map((fault) => (
            <Row key={fault.id} fault={fault} now={now} apps={apps} query={query} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

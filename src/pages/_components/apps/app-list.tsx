import '#src/faults/interface/faults/faults.css';

import { formatCount } from '#flight';
import type { AppUntrusted, AppErrors, AppName } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery } from '#src/ui/app-query.ts';
import { ErrorCount } from '#src/faults/interface/faults/error-count.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { appPath, flightsPath, homePath } from '#src/server/http/addresses.ts';
import type { AppFlights } from '#src/flights/for-operator/app-counts.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { Table, type Column } from '#viewer/table.tsx';

export type ListedApp = AppName & {
  readonly flights: AppFlights | undefined;
  readonly errors: AppErrors | undefined;
  readonly untrusted: AppUntrusted | undefined;
  readonly refused: number;
};

function AppCell({ app: { id, name, isOwn } }: { app: ListedApp }) {
  if (!isOwn) {
    return (
      <Link to={appPath(id)} prefetch="intent">
        {name}
      </Link>
    );
  }
  return (
    <>
      {name} <span className="block font-normal text-quiet">these pages and the lab</span>
    </>
  );
}

function Framework({ app: { isOwn, flights, errors } }: { app: ListedApp }) {
  if (isOwn) return 'waku';
  return (flights?.framework ?? errors?.framework) || <span className="text-quiet">not known yet</span>;
}

function LastTime({ app: { flights, errors, untrusted }, now }: { app: ListedApp; now: number }) {
  const times = [flights?.lastAt, errors?.lastAt, untrusted?.lastAt].filter((time) => time !== undefined);
  return times.length > 0 ? <Moment time={Math.max(...times)} now={now} isDense /> : 'nothing yet';
}

function listColumns(now: number): readonly Column<ListedApp>[] {
  return [
    { head: 'App', isRowName: true, className: 'sm:w-full', cell: (app) => <AppCell app={app} /> },
    { head: 'Framework', cell: (app) => <Framework app={app} /> },
    { head: 'Last', className: 'whitespace-nowrap', cell: (app) => <LastTime app={app} now={now} /> },
    {
      head: 'Flights kept',
      cell: ({ id, name, flights }) => (
        <a href={`${flightsPath}${formatAppQuery(id)}`}>
          {formatCount(flights?.flights ?? 0)}
          <span className="sr-only"> flights of {name}</span>
        </a>
      ),
    },
    {
      head: 'Errors kept',
      cell: ({ id, name, errors, untrusted }) => (
        <a href={`${homePath}${formatAppQuery(id)}`}>
          <ErrorCount count={errors?.errors ?? 0} untrusted={untrusted?.untrusted ?? 0} />
          <span className="sr-only"> of {name}, as errors</span>
        </a>
      ),
    },
    {
      head: 'Refused',
      cell: ({ refused }) => (
        <span className={refused > 0 ? 'font-semibold text-error' : ''}>{formatCount(refused)}</span>
      ),
    },
  ];
}

/** The apps with what is recorded of each. */
export function AppList({ apps, now }: { apps: readonly ListedApp[]; now: number }) {
  return <Table label="Apps" columns={listColumns(now)} rows={apps} keyOf={({ id }) => id} />;
}

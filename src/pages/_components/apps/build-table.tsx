import { formatCount } from '#flight';
import { formatFaultQuery, parseFaultQuery } from '#src/faults/interface/faults/fault-query.ts';
import { formatFlightQuery, parseFlightQuery } from '#src/flights/interface/flight-query.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { appBuildsPath, faultsPath, flightsPath } from '#src/server/http/addresses.ts';
import { Moment } from '#src/ui/moment.tsx';
import { timeColumn } from '#src/ui/time-column.tsx';
import { Table, type Column } from '#viewer/table.tsx';

import type { KnownBuild } from './read-builds.ts';

type BuildTableProps = {
  readonly app: string;
  readonly builds: readonly KnownBuild[];
  /** Whose routes are shown. */
  readonly chosen: string | undefined;
  readonly now: number;
};

function BuildName({ app, name, chosen }: { app: string; name: string; chosen: string | undefined }) {
  if (name === chosen) return <strong className="code [overflow-wrap:anywhere]">{name}</strong>;
  return (
    <Link to={`${appBuildsPath(app)}?${new URLSearchParams({ build: name }).toString()}`} prefetch="intent">
      <span className="code [overflow-wrap:anywhere]">{name}</span>
    </Link>
  );
}

function listColumns({ app, chosen, now }: Omit<BuildTableProps, 'builds'>): readonly Column<KnownBuild>[] {
  const flights = (build: string) => `${flightsPath}${formatFlightQuery({ ...parseFlightQuery(''), app, build })}`;
  const faultsOf = (firstRelease: string) =>
    `${faultsPath}${formatFaultQuery({ ...parseFaultQuery(''), app, state: 'any', firstRelease })}`;
  return [
    { head: 'Build', isRowName: true, cell: ({ name }) => <BuildName app={app} name={name} chosen={chosen} /> },
    timeColumn('Since', now, ({ firstAt }) => firstAt),
    {
      head: 'Last answer',
      className: 'whitespace-nowrap',
      cell: ({ use }) => (use ? <Moment time={use.lastAt} now={now} isDense /> : 'none recorded'),
    },
    { head: 'Flights', cell: ({ name, use }) => (use ? <a href={flights(name)}>{formatCount(use.flights)}</a> : '0') },
    { head: 'Open tabs', cell: ({ use }) => formatCount(use?.visits ?? 0) },
    {
      head: 'New faults',
      cell: ({ name, faults }) => (faults === 0 ? '0' : <a href={faultsOf(name)}>{formatCount(faults)}</a>),
    },
  ];
}

/** One row for each build, that which began last first. */
export function BuildTable({ builds, ...props }: BuildTableProps) {
  return <Table label="Builds" columns={listColumns(props)} rows={builds} keyOf={({ name }) => name} />;
}

import { formatCount } from '#flight';
import { formatFaultQuery, parseFaultQuery } from '#src/faults/interface/faults/fault-query.ts';
import { formatFlightQuery, parseFlightQuery } from '#src/flights/interface/flight-query.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { appBuildsPath, faultsPath, flightsPath } from '#src/server/http/addresses.ts';
import { Moment } from '#src/ui/moment.tsx';
import { TableHead } from '#viewer/table-head.tsx';

import type { KnownBuild } from './read-builds.ts';

type BuildTableProps = {
  readonly app: string;
  readonly builds: readonly KnownBuild[];
  /** Whose routes are shown. */
  readonly chosen: string | undefined;
  readonly now: number;
};

function Row({ app, build, chosen, now }: Omit<BuildTableProps, 'builds'> & { build: KnownBuild }) {
  const { name, firstAt, use, faults } = build;
  const toFaults = formatFaultQuery({ ...parseFaultQuery(''), app, state: 'any', firstRelease: name });
  return (
    <tr>
      <th scope="row">
        {name === chosen ? (
          <strong className="code [overflow-wrap:anywhere]">{name}</strong>
        ) : (
          <Link to={`${appBuildsPath(app)}?${new URLSearchParams({ build: name }).toString()}`} prefetch="intent">
            <span className="code [overflow-wrap:anywhere]">{name}</span>
          </Link>
        )}
      </th>
      <td data-label="Since" className="whitespace-nowrap">
        <Moment time={firstAt} now={now} isDense />
      </td>
      <td data-label="Last answer" className="whitespace-nowrap">
        {use ? <Moment time={use.lastAt} now={now} isDense /> : 'none recorded'}
      </td>
      <td data-label="Flights">
        {use ? (
          <a href={`${flightsPath}${formatFlightQuery({ ...parseFlightQuery(''), app, build: name })}`}>
            {formatCount(use.flights)}
          </a>
        ) : (
          '0'
        )}
      </td>
      <td data-label="Open tabs">{formatCount(use?.visits ?? 0)}</td>
      <td data-label="New faults">
        {faults === 0 ? '0' : <a href={`${faultsPath}${toFaults}`}>{formatCount(faults)}</a>}
      </td>
    </tr>
  );
}

/** One row for each build, that which began last first. On a narrow screen each folds. */
export function BuildTable({ builds, ...props }: BuildTableProps) {
  return (
    <table className="fold" aria-label="Builds">
      <TableHead columns={['Build', 'Since', 'Last answer', 'Flights', 'Open tabs', 'New faults']} />
      <tbody>
        {builds.map((build) => (
          <Row key={build.name} build={build} {...props} />
        ))}
      </tbody>
    </table>
  );
}

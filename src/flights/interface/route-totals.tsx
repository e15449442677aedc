import { formatBytes, formatCount, formatDuration } from '#flight';
import { flightsPath } from '#src/server/http/addresses.ts';
import { Table, type Column } from '#viewer/table.tsx';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import type { RouteTotals as Totals } from '#src/flights/for-operator/summaries.ts';

import { formatFlightQuery, quoteRoute, toFirstPage, type FlightQuery } from './flight-query.ts';
import { Meter } from './meter.tsx';
import { RouteLink } from './route-link.tsx';
import { RouteVitals } from './route-vitals.tsx';
import { SizeText, sizeTitles } from './size-text.tsx';

/** As many as a page of flights has. */
const shown = 50;

function listColumns(most: number, query: FlightQuery): readonly Column<Totals>[] {
  const sizesOf = ({ bytes, responseBytes, transferredBytes }: Totals) => ({
    flight: bytes,
    response: responseBytes,
    transferred: transferredBytes,
  });
  const addressOf = ({ kind, route }: Totals) =>
    `${flightsPath}${formatFlightQuery({ ...toFirstPage(query), view: 'list', kinds: [kind], route: quoteRoute(route) })}`;
  return [
    { head: 'Kind', column: 'any-kind', isPlain: true, isBeside: true, cell: ({ kind }) => <KindBadge kind={kind} /> },
    { head: 'Route', isRowName: true, cell: (total) => <RouteLink to={addressOf(total)} route={total.route} /> },
    { head: 'Flights', column: 'flight', cell: ({ flights }) => formatCount(flights) },
    {
      head: 'Failed',
      column: 'flight',
      cell: ({ failures }) => (
        <span className={failures > 0 ? 'font-semibold text-error' : ''}>{formatCount(failures)}</span>
      ),
    },
    {
      head: 'Flight',
      column: 'flight',
      title: sizeTitles.flight,
      cell: ({ kind, bytes }) => (
        <span data-kind={kind} className="figure">
          {formatBytes(bytes)}
          <Meter most={most} parts={[{ value: bytes }]} />
        </span>
      ),
    },
    {
      head: 'Response',
      column: 'response',
      title: sizeTitles.response,
      headClass: 'where-wide',
      className: 'where-wide',
      cell: (total) => <SizeText of="response" sizes={sizesOf(total)} />,
    },
    {
      head: 'Transferred',
      column: 'transferred',
      title: sizeTitles.transferred,
      cell: (total) => <SizeText of="transferred" sizes={sizesOf(total)} />,
    },
    {
      head: 'Half within',
      column: 'transferred',
      cell: ({ p50Ms }) => (p50Ms === null ? 'unknown' : formatDuration(p50Ms)),
    },
    {
      head: '95 % within',
      column: 'transferred',
      cell: ({ p95Ms }) => (p95Ms === null ? 'unknown' : formatDuration(p95Ms)),
    },
  ];
}

/** What each route sent, the most bytes first. */
export function RouteTotals({ totals, query }: { totals: readonly Totals[]; query: FlightQuery }) {
  const most = totals[0]?.bytes ?? 0;
  return (
    <>
      <Table
        label="Totals by route"
        className="fold flight-table dense"
        columns={listColumns(most, query)}
        rows={totals.slice(0, shown)}
        keyOf={({ kind, route }) => `${kind} ${route}`}
      />
      <p className="text-sm text-quiet">
        {totals.length > shown ? `The first ${shown} of ${formatCount(totals.length)}. ` : ''}Summed over the newest
        10,000 kept entries that match. All counted hits are included, but only the first hit of each count was timed.
        Times are of those that their browser did not leave.
      </p>
      <RouteVitals totals={totals.slice(0, shown)} query={query} />
    </>
  );
}

import { formatBytes, formatCount, formatDuration } from '#flight';
import { flightsPath } from '#src/server/http/addresses.ts';
import { TableHead } from '#viewer/table-head.tsx';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import type { RouteTotals as Totals } from '#src/flights/for-operator/summaries.ts';

import { formatFlightQuery, quoteRoute, toFirstPage, type FlightQuery } from './flight-query.ts';
import { Meter } from './meter.tsx';
import { RouteLink } from './route-link.tsx';
import { RouteVitals } from './route-vitals.tsx';
import { SizeText, sizeTitles } from './size-text.tsx';

/** As many as a page of flights has. */
const shown = 50;

type RowProps = { readonly total: Totals; readonly most: number; readonly query: FlightQuery };

const columns = [
  { name: 'Kind', column: 'kind' },
  'Route',
  { name: 'Flights', column: 'flight' },
  { name: 'Failed', column: 'flight' },
  { name: 'Flight', column: 'flight', title: sizeTitles.flight },
  { name: 'Response', column: 'response', className: 'where-wide', title: sizeTitles.response },
  { name: 'Transferred', column: 'transferred', title: sizeTitles.transferred },
  { name: 'Half within', column: 'transferred' },
  { name: '95 % within', column: 'transferred' },
];

function Row({ total, most, query }: RowProps) {
  const { route, kind } = total;
  const sizes = { flight: total.bytes, response: total.responseBytes, transferred: total.transferredBytes };
  const to = formatFlightQuery({ ...toFirstPage(query), view: 'list', kinds: [kind], route: quoteRoute(route) });
  return (
    <tr>
      <td data-beside>
        <KindBadge kind={kind} />
      </td>
      <th scope="row">
        <RouteLink to={`${flightsPath}${to}`} route={route} />
      </th>
      <td data-label="Flights">{formatCount(total.flights)}</td>
      <td data-label="Failed">
        <span className={total.failures > 0 ? 'font-semibold text-error' : ''}>{formatCount(total.failures)}</span>
      </td>
      <td data-label="Flight">
        <span data-kind={kind} className="figure">
          {formatBytes(total.bytes)}
          <Meter most={most} parts={[{ value: total.bytes }]} />
        </span>
      </td>
      <td data-label="Response" className="where-wide">
        <SizeText of="response" sizes={sizes} />
      </td>
      <td data-label="Transferred">
        <SizeText of="transferred" sizes={sizes} />
      </td>
      <td data-label="Half within">{formatDuration(total.p50Ms)}</td>
      <td data-label="95 % within">{formatDuration(total.p95Ms)}</td>
    </tr>
  );
}

/** What each route sent, the most bytes first. */
export function RouteTotals({ totals, query }: { totals: readonly Totals[]; query: FlightQuery }) {
  const most = totals[0]?.bytes ?? 0;
  return (
    <>
      <table className="fold flight-table dense" aria-label="Totals by route">
        <TableHead columns={columns} />
        <tbody>
          {totals.slice(0, shown).map((total) => (
            <Row key={`${total.kind} ${total.route}`} total={total} most={most} query={query} />
          ))}
        </tbody>
      </table>
      <p className="text-sm text-quiet">
        {totals.length > shown ? `The first ${shown} of ${formatCount(totals.length)}. ` : ''}Summed over the newest
        10,000 entries that match. All counted hits are included, but only the first hit of each count was timed.
      </p>
      <RouteVitals totals={totals.slice(0, shown)} query={query} />
    </>
  );
}

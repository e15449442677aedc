import { formatBytes, formatCount, formatDuration } from '#flight';
import { flightsPath } from '#src/server/http/addresses.ts';
import type { RouteTotals } from '#src/flights/for-operator/summaries.ts';
import { coreVitals, thresholds, thresholdsSource, type CoreVital } from '#src/flights/vitals/rate-vital.ts';

import { TableHead } from '#viewer/table-head.tsx';

import { formatFlightQuery, quoteRoute, toFirstPage, type FlightQuery } from './flight-query.ts';
import { RouteLink } from './route-link.tsx';
import { VitalText } from './vital-text.tsx';

const columns = {
  lcp: { name: 'LCP', title: 'Largest Contentful Paint: when the largest element was painted' },
  inp: { name: 'INP', title: 'Interaction to Next Paint: how long the slowest answer to a click or a key took' },
  cls: { name: 'CLS', title: 'Cumulative Layout Shift: how far what was on the screen was moved' },
} as const satisfies Record<CoreVital, object>;

const heads = [
  'Route',
  ...coreVitals.map((name) => ({ ...columns[name], column: 'vital' })),
  { name: 'Pages', column: 'flight' },
  { name: 'Flight each', column: 'transferred' },
  { name: '95 % within', column: 'transferred' },
];

function Row({ total, query }: { total: RouteTotals; query: FlightQuery }) {
  const { route, vitals, flights, bytes, p95Ms } = total;
  const to = formatFlightQuery({ ...toFirstPage(query), view: 'list', kinds: ['document'], route: quoteRoute(route) });
  return (
    <tr>
      <th scope="row">
        <RouteLink to={`${flightsPath}${to}`} route={route} />
      </th>
      {coreVitals.map((name) => (
        <td key={name} data-label={columns[name].name}>
          <VitalText name={name} value={vitals?.[name]?.p75} />
          {vitals?.[name] ? <span className="text-quiet"> of {formatCount(vitals[name].pages)}</span> : null}
        </td>
      ))}
      <td data-label="Pages">{formatCount(flights)}</td>
      <td data-label="Flight each">{formatBytes(flights === 0 ? 0 : bytes / flights)}</td>
      <td data-label="95 % within">{formatDuration(p95Ms)}</td>
    </tr>
  );
}

/** How fast browsers found the pages of each route, beside what was sent for them. */
export function RouteVitals({ totals, query }: { totals: readonly RouteTotals[]; query: FlightQuery }) {
  const pages = totals.filter(({ kind }) => kind === 'document');
  if (pages.length === 0) return null;
  if (pages.every(({ vitals }) => vitals === undefined)) {
    return <p className="text-sm text-quiet">Web Vitals are unknown: no browser reported any for these pages.</p>;
  }
  return (
    <>
      <h2>Web Vitals by route</h2>
      <table className="fold flight-table dense" aria-label="Web Vitals by route">
        <TableHead columns={heads} />
        <tbody>
          {pages.map((total) => (
            <Row key={total.route} total={total} query={query} />
          ))}
        </tbody>
      </table>
      <p className="text-sm text-quiet">
        75 % of the pages had this value or a better one (p75), of so many that told it, which anybody can do. INP and
        CLS are of all the time that a page was open, with the routes that it went to without a new document. Google
        calls up to {formatDuration(thresholds.lcp[0])}, {formatDuration(thresholds.inp[0])} and {thresholds.cls[0]}{' '}
        good, and more than {formatDuration(thresholds.lcp[1])}, {formatDuration(thresholds.inp[1])} and{' '}
        {thresholds.cls[1]} poor (<a href={thresholdsSource}>why</a>).
      </p>
    </>
  );
}

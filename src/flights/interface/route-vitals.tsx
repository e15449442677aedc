import { formatBytes, formatCount, formatDuration } from '#flight';
import { flightsPath } from '#src/server/http/addresses.ts';
import type { RouteTotals } from '#src/flights/for-operator/summaries.ts';
import { coreVitals, thresholds, thresholdsSource, type CoreVital } from '#src/flights/vitals/rate-vital.ts';

import { Table, type Column } from '#viewer/table.tsx';

import { formatFlightQuery, quoteRoute, toFirstPage, type FlightQuery } from './flight-query.ts';
import { RouteLink } from './route-link.tsx';
import { VitalText } from './vital-text.tsx';

const meanings = {
  lcp: { head: 'LCP', title: 'Largest Contentful Paint: when the largest element was painted' },
  inp: { head: 'INP', title: 'Interaction to Next Paint: how long the slowest answer to a click or a key took' },
  cls: { head: 'CLS', title: 'Cumulative Layout Shift: how far what was on the screen was moved' },
} as const satisfies Record<CoreVital, object>;

function listColumns(query: FlightQuery): readonly Column<RouteTotals>[] {
  const addressOf = (route: string) =>
    `${flightsPath}${formatFlightQuery({ ...toFirstPage(query), view: 'list', kinds: ['document'], route: quoteRoute(route) })}`;
  return [
    { head: 'Route', isRowName: true, cell: ({ route }) => <RouteLink to={addressOf(route)} route={route} /> },
    ...coreVitals.map((name) => ({
      ...meanings[name],
      column: 'vital',
      cell: ({ vitals }: RouteTotals) => (
        <>
          <VitalText name={name} value={vitals?.[name]?.p75} />
          {vitals?.[name] ? <span className="text-quiet"> of {formatCount(vitals[name].pages)}</span> : null}
        </>
      ),
    })),
    { head: 'Pages', column: 'flight', cell: ({ flights }) => formatCount(flights) },
    {
      head: 'Flight each',
      column: 'transferred',
      title: 'Of the pages that brought Flight: of one that was answered with 304 the browser had a copy',
      cell: ({ withFlight, bytes }) => (withFlight === 0 ? 'none' : formatBytes(bytes / withFlight)),
    },
    {
      head: '95 % within',
      column: 'transferred',
      cell: ({ p95Ms }) => (p95Ms === null ? 'unknown' : formatDuration(p95Ms)),
    },
  ];
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
      <Table
        label="Web Vitals by route"
        className="fold flight-table dense"
        columns={listColumns(query)}
        rows={pages}
        keyOf={({ route }) => route}
      />
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

import type { ReactNode } from 'react';

import { flightsPath, guardPath, prefetchesPath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFlightQuery, toFirstPage, withoutFilter, type FlightQuery } from './flight-query.ts';

type Tab = FlightQuery['view'] | 'prefetches' | 'guard';

type FlightsTabsProps = {
  readonly query: FlightQuery;
  readonly shown: Tab;
  /** At the end of the line. */
  readonly children?: ReactNode;
};

/** What is shown of the recording: flights, their totals, what was prefetched, what was forged. Links: each has an address of its own. */
export function FlightsTabs({ query, shown, children }: FlightsTabsProps) {
  const first = toFirstPage(query);
  const ofApp = withoutFilter({ ...query, view: 'list', order: undefined });
  const tabs = [
    ['list', 'Flights', `${flightsPath}${formatFlightQuery({ ...first, view: 'list' })}`],
    ['routes', 'Routes', `${flightsPath}${formatFlightQuery({ ...first, view: 'routes' })}`],
    ['prefetches', 'Prefetches', `${prefetchesPath}${formatFlightQuery(ofApp)}`],
    ['guard', 'Guard', `${guardPath}${formatFlightQuery(ofApp)}`],
  ] as const;
  return (
    <div className="flights-tabs">
      <nav aria-label="View">
        {tabs.map(([tab, name, to]) => (
          <Link key={tab} to={to} prefetch="intent" scroll={false} aria-current={tab === shown ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  );
}

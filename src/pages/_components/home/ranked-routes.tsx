import '../../../flights/interface/flights.css';

import { countOf, formatBytes, formatDuration } from '#flight';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { formatFlightQuery, parseFlightQuery, quoteRoute } from '#src/flights/interface/flight-query.ts';
import { Meter } from '#src/flights/interface/meter.tsx';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Panel } from '#viewer/panel.tsx';
import { flightsPath } from '#src/server/http/addresses.ts';
import type { RankedRoute, RankedRoutes } from '#src/flights/for-operator/rank-routes.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

type Measure = 'duration' | 'flight';

const measures = {
  duration: { title: 'Slow routes', what: 'Time to the last byte', format: formatDuration },
  flight: { title: 'Heavy routes', what: 'Bytes of Flight', format: formatBytes },
} as const satisfies Record<Measure, object>;

/** The route's flights, those first that made it slow or heavy. */
function toFlights({ app, kind, route }: RankedRoute, by: Measure): string {
  const query = { ...parseFlightQuery(''), app, kinds: [kind], route: quoteRoute(route) };
  return `${flightsPath}${formatFlightQuery({ ...query, order: { by, isAscending: false } })}`;
}

type RowProps = {
  readonly ranked: RankedRoute;
  readonly by: Measure;
  readonly most: number;
  /** Where they may be of several. */
  readonly appName: string | undefined;
};

function Row({ ranked, by, most, appName }: RowProps) {
  const { route, kind, flights, value } = ranked;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3">
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <Link to={toFlights(ranked, by)} prefetch="intent" className="code [overflow-wrap:anywhere]">
          {route}
        </Link>
        <KindBadge kind={kind} />
        {appName === undefined ? null : <span className="text-sm text-quiet">{appName}</span>}
      </span>
      <span className="text-end whitespace-nowrap">
        {measures[by].format(value)} <span className="text-sm text-quiet lg:sr-only">{countOf(flights, 'flight')}</span>
      </span>
      <span data-kind={kind} className="figure col-span-2 block">
        <Meter most={most} parts={[{ value }]} />
      </span>
    </li>
  );
}

/** The routes that take longest, or send most. */
type RankedRoutesProps = {
  readonly ranked: RankedRoutes;
  readonly by: Measure;
  /** Whose routes they may be. */
  readonly apps: readonly AppName[];
};

export function RankedRoutesPanel({ ranked, by, apps }: RankedRoutesProps) {
  const { title, what } = measures[by];
  const routes = by === 'duration' ? ranked.slow : ranked.heavy;
  const [first] = routes;
  const nameApp = (app: string) => (apps.length > 1 ? (apps.find(({ id }) => id === app)?.name ?? app) : undefined);
  if (!first) return null;
  const period = ranked.hours === 24 ? 'the last 24 hours' : 'the last 7 days';
  const all = countOf(ranked.flights, 'flight');
  return (
    <Panel title={title}>
      <ol className="stack-2.5 list-none" aria-label={title}>
        {routes.map((one) => (
          <Row
            key={`${one.app} ${one.kind} ${one.route}`}
            ranked={one}
            by={by}
            most={first.value}
            appName={nameApp(one.app)}
          />
        ))}
      </ol>
      <p className="text-sm text-quiet">
        {what} that 95 of 100 flights did not exceed. Of{' '}
        {ranked.isCut ? `the newest ${all}, all of them from` : `${all} that are kept of`} {period}, without those that
        their browser left.
      </p>
    </Panel>
  );
}

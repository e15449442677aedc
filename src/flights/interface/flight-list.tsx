import { countOf, formatBytes, formatDuration } from '#flight';
import { flightPath } from '#src/server/http/addresses.ts';
import type { AppName } from '#src/apps/for-operator/read-apps.ts';
import { DigestLink } from '#src/ui/digest-link.tsx';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Moment } from '#src/ui/moment.tsx';
import type { FlightSummary } from '../flight/flight-record.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import type { FlightQuery } from './flight-query.ts';
import { AppTag, PrefetchOutcomeTag, HitsTag, OutcomeTags, RenderingTag, StatusText } from './flight-tags.tsx';
import { Meter } from './meter.tsx';
import { nameFlight } from './name-flight.ts';
import { SizeText, sizeTitles } from './size-text.tsx';
import { SortHead } from './sort-links.tsx';

/** How many digests of one flight are shown. The rest are on the flight's own page. */
const digestsShown = 1;

type Most = { readonly flight: number; readonly ms: number };

/** What has no column on a narrow screen, or no room in the line. */
function describeRow(flight: FlightSummary): string {
  const { response } = flight.sizes;
  return [
    `${flight.kind} ${nameFlight(flight)}`,
    ...(flight.route === flight.path ? [] : [`route ${flight.route}`]),
    ...(flight.prefetchOutcome === undefined ? [] : [`outcome ${flight.prefetchOutcome}`]),
    ...(flight.framework === undefined ? [] : [`made with ${flight.framework}`]),
    ...(flight.actionId === undefined ? [] : [`action ${flight.actionId}`]),
    ...(response === undefined ? [] : [`response ${formatBytes(response)}`]),
    countOf(flight.writes, 'chunk'),
    ...(flight.digests.length > 0 ? [`digests ${flight.digests.join(', ')}`] : []),
  ].join('\n');
}

function Times({ flight, most }: { flight: FlightSummary; most: Most }) {
  const wait = flight.firstByteMs ?? flight.durationMs;
  return (
    <span data-kind={flight.kind} className="figure">
      <span>
        {formatDuration(flight.durationMs)}
        {flight.firstByteMs === undefined ? null : (
          <span className="text-quiet" title="Time to the first byte">
            {' '}
            ({formatDuration(flight.firstByteMs)})
          </span>
        )}
      </span>
      <Meter most={most.ms} parts={[{ value: wait, className: 'meter-wait' }, { value: flight.durationMs - wait }]} />
    </span>
  );
}

/** Ticked, it is one of the two that the form around the list compares. */
function Tick({ flight }: { flight: FlightSummary }) {
  return (
    <label className="tick" title="Tick two to compare them">
      <input type="checkbox" name="flight" value={flight.id} aria-label={`Compare ${nameFlight(flight)}`} />
    </label>
  );
}

/** Everything else is rendered for each request anyway, or is not the page. */
const kindsRendered: readonly FlightSummary['kind'][] = ['document', 'navigation'];

/** `dynamic` says something beside pages that are not. */
function saysRendering({ kind, rendering }: FlightSummary, hasStatic: boolean): boolean {
  if (rendering === 'unknown') return false;
  return rendering !== 'dynamic' || (hasStatic && kindsRendered.includes(kind));
}

type RowProps = {
  readonly flight: FlightSummary;
  /** Some of the list were not rendered for their request. */
  readonly hasStatic: boolean;
  readonly most: Most;
  readonly now: number;
  readonly apps: readonly AppName[];
};

function Request({ flight, hasStatic, apps }: Pick<RowProps, 'flight' | 'hasStatic' | 'apps'>) {
  const more = flight.digests.length - digestsShown;
  return (
    <span className="row-line">
      {/* Stretched over the row, so that all of it opens the flight. */}
      <Link to={flightPath(flight.id)} prefetch="intent" className="code row-link" title={describeRow(flight)}>
        {nameFlight(flight)}
      </Link>
      {flight.digests.slice(0, digestsShown).map((digest) => (
        <DigestLink key={digest} digest={digest} app={flight.app} />
      ))}
      {more > 0 ? <span className="text-quiet">and {more} more</span> : null}
      <span className="row-tags">
        <OutcomeTags flight={flight} />
        <HitsTag flight={flight} />
        {/* Of another app it is nearly always unknown. */}
        {flight.prefetchOutcome === 'unknown' ? null : <PrefetchOutcomeTag flight={flight} />}
        {saysRendering(flight, hasStatic) ? <RenderingTag rendering={flight.rendering} /> : null}
        {/* The last, because it may be long: where there is no room it is cut. */}
        <AppTag flight={flight} apps={apps} />
      </span>
    </span>
  );
}

function Row({ flight, hasStatic, most, now, apps }: RowProps) {
  return (
    <tr>
      <td data-beside>
        <Tick flight={flight} />
      </td>
      <td data-beside>
        <KindBadge kind={flight.kind} />
      </td>
      <th scope="row">
        <Request flight={flight} hasStatic={hasStatic} apps={apps} />
      </th>
      <td data-label="Status">
        <StatusText status={flight.status} />
      </td>
      <td data-label="Flight">
        <span data-kind={flight.kind} className="figure">
          <SizeText of="flight" sizes={flight.sizes} />
          <Meter most={most.flight} parts={[{ value: flight.sizes.flight ?? 0 }]} />
        </span>
      </td>
      <td data-label="Response" className="where-wide">
        <SizeText of="response" sizes={flight.sizes} />
      </td>
      <td data-label="Transferred">
        <SizeText of="transferred" sizes={flight.sizes} />
      </td>
      <td data-label="Duration">
        <Times flight={flight} most={most} />
      </td>
      <td data-label="When">
        <Moment time={flight.startedAt} now={now} isDense />
      </td>
    </tr>
  );
}

type FlightListProps = {
  readonly flights: readonly FlightSummary[];
  readonly now: number;
  readonly query: FlightQuery;
  /** Those that may be listed: with one alone, no row has to say whose it is. */
  readonly apps: readonly AppName[];
};

function Head({ query }: { query: FlightQuery }) {
  return (
    <thead>
      <tr>
        <th scope="col" data-column="tick">
          <span className="sr-only">Compare</span>
        </th>
        <th scope="col" data-column="kind">
          Kind
        </th>
        <th scope="col">Request</th>
        <SortHead query={query} by="status">
          Status
        </SortHead>
        <SortHead query={query} by="flight" title={sizeTitles.flight}>
          Flight
        </SortHead>
        <SortHead query={query} by="response" className="where-wide" title={sizeTitles.response}>
          Response
        </SortHead>
        <SortHead query={query} by="transferred" title={sizeTitles.transferred}>
          Transferred
        </SortHead>
        <SortHead query={query} by="duration" title="To the last byte, and in brackets to the first">
          Duration
        </SortHead>
        <SortHead query={query} by="time" title="When it began. They are listed in the order in which they ended">
          When
        </SortHead>
      </tr>
    </thead>
  );
}

/** Flights, one line each, in the given order. On a narrow screen each row folds. Bars compare the rows with each other. */
export function FlightList({ flights, now, query, apps }: FlightListProps) {
  const most = {
    flight: Math.max(...flights.map(({ sizes }) => sizes.flight ?? 0)),
    ms: Math.max(...flights.map(({ durationMs }) => durationMs)),
  };
  const hasStatic = flights.some(({ rendering }) => rendering === 'static' || rendering === 'prerendered');
  return (
    <table className="fold flight-table dense" aria-label="Flights">
      <Head query={query} />
      <tbody>
        {flights.map((flight) => (
          <Row key={flight.id} flight={flight} hasStatic={hasStatic} most={most} now={now} apps={apps} />
        ))}
      </tbody>
    </table>
  );
}

import { formatDuration } from '#flight';
import { flightPath } from '#src/server/http/addresses.ts';
import { DigestLink } from '#src/ui/digest-link.tsx';
import { formatOffset } from '#src/ui/format-time.ts';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Time } from '#src/ui/browser-time.tsx';
import type { FlightSummary } from '../flight/flight-record.ts';
import { isFailed } from '../flight/is-failed.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { runtimeSettings } from '#src/runtime/settings.ts';

import { PrefetchOutcomeTag, OutcomeTags, StatusText } from './flight-tags.tsx';
import { nameFlight } from './name-flight.ts';
import { SizeText } from './size-text.tsx';
import { createTimeAxis, type TimeAxis } from './time-axis.ts';

const width = 1_000;
/** A response of a millisecond must still be visible. */
const leastWidth = 6;
/** Longer than the time between a click and the page that it opens. */
const longestGapMs = 2_000;

/**
 * The time until which the browser could show a prefetched page, or the time at which it did. How long another app's client keeps
 * a page is not known.
 */
function findLifeEnd(flight: FlightSummary): number {
  if (flight.source !== 'runtime') return flight.usedAt ?? flight.startedAt + flight.durationMs;
  const lifetime =
    flight.rendering === 'prerendered'
      ? runtimeSettings.prefetchStaticLifetimeMs
      : runtimeSettings.prefetchDynamicLifetimeMs;
  const expiry = flight.startedAt + lifetime;
  return Math.min(flight.usedAt ?? flight.closedAt ?? expiry, expiry);
}

function Track({ flight, axis }: { flight: FlightSummary; axis: TimeAxis }) {
  const scale = axis.length === 0 ? 0 : (width - leastWidth) / axis.length;
  const x = axis.place(flight.startedAt) * scale;
  const end = axis.place(flight.startedAt + flight.durationMs) * scale;
  const lifeEnd = flight.kind === 'prefetch' ? axis.place(findLifeEnd(flight)) * scale : end;
  const isWasted = flight.prefetchOutcome === 'unused' || flight.prefetchOutcome === 'expired';
  return (
    <svg
      className="visit-track"
      viewBox={`0 0 ${width} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-kind={isFailed(flight) ? 'error' : flight.kind}
    >
      <line x1="0" y1="19.5" x2={width} y2="19.5" stroke="var(--line)" strokeDasharray="2 6" />
      {lifeEnd > end ? (
        <rect
          className={isWasted ? 'visit-life-wasted' : 'visit-life'}
          x={x}
          y="6"
          width={Math.max(leastWidth, lifeEnd - x)}
          height="8"
        />
      ) : null}
      <rect x={x} y="3" width={Math.max(leastWidth, end - x)} height="14" rx="1" />
    </svg>
  );
}

function Line({ flight, axis, start }: { flight: FlightSummary; axis: TimeAxis; start: number }) {
  return (
    <li className="visit-line">
      <span className="text-quiet">
        <Time time={flight.startedAt}>{formatOffset(flight.startedAt - start)}</Time>
      </span>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
        <KindBadge kind={flight.kind} />
        <Link to={flightPath(flight.id)} prefetch="intent" className="code">
          {nameFlight(flight)}
        </Link>
        <span className="basis-full text-[0.8125rem] text-quiet">
          <StatusText status={flight.status} /> · Flight <SizeText of="flight" sizes={flight.sizes} /> · transferred{' '}
          <SizeText of="transferred" sizes={flight.sizes} /> · {formatDuration(flight.durationMs)}{' '}
          <PrefetchOutcomeTag flight={flight} /> <OutcomeTags flight={flight} />{' '}
          {flight.digests.map((digest) => (
            <DigestLink key={digest} digest={digest} app={flight.app} />
          ))}
        </span>
      </div>
      <Track flight={flight} axis={axis} />
    </li>
  );
}

/** What one browser tab did. @param start of its first document, from which times count */
export function VisitTimeline({ flights, start }: { flights: readonly FlightSummary[]; start: number }) {
  const spans = flights.map(({ startedAt, durationMs }) => ({ start: startedAt, end: startedAt + durationMs }));
  const axis = createTimeAxis(spans, longestGapMs);
  return (
    <ol className="relative list-none text-[0.875rem]" aria-label="Flights of this visit">
      {flights.map((flight) => (
        <Line key={flight.id} flight={flight} axis={axis} start={start} />
      ))}
    </ol>
  );
}

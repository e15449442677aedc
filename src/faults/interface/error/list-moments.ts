import { formatDuration } from '#flight';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { isFailed } from '#src/flights/flight/is-failed.ts';
import { flightPath } from '#src/server/http/addresses.ts';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import type { Breadcrumb, ErrorDetails } from '#src/faults/kept/error-details.ts';

/** One line of the timeline. */
export type TimelineMoment = {
  readonly time: number;
  /** No time was sent: it stands where it was sent, at the time of the line beside it. */
  readonly isUntimed?: boolean;
  readonly side: 'server' | 'browser';
  readonly category: string;
  /** Gives the colour: one of the request kinds, or `error`. Anything else has no colour. */
  readonly kind: string;
  readonly message: string;
  readonly data: Readonly<Record<string, string>>;
  /** True for the error itself, false for what led to it. */
  readonly isError: boolean;
  /** Of a recorded flight: its page. */
  readonly href?: string;
};

/** The SDK leaves the message of fetches and navigations empty. Their data says what they did. */
function describeCrumb({ message, data }: Breadcrumb): string {
  if (message) return message;
  const { method = '', url, status_code: status = '', from, to } = data;
  if (url !== undefined) return `${method} ${url} ${status}`.trim();
  return from !== undefined && to !== undefined ? `${from} → ${to}` : '';
}

function toMoment(crumb: Breadcrumb): TimelineMoment {
  const isBad = crumb.level === 'error' || crumb.level === 'fatal';
  return { ...crumb, message: describeCrumb(crumb), kind: isBad ? 'error' : crumb.category, isError: false };
}

type Strike = { readonly time: number; readonly name: string; readonly message: string };

function toStrike({ time, name, message }: Strike, side: TimelineMoment['side']): TimelineMoment {
  return { time, side, category: 'error', kind: 'error', message: `${name}: ${message}`, data: {}, isError: true };
}

/** What a browser sent of an error that the server already reported. */
function toShowing({ time }: Strike): TimelineMoment {
  return {
    time,
    side: 'browser',
    category: 'report',
    kind: 'report',
    message: 'The browser showed the error',
    data: {},
    isError: false,
  };
}

/**
 * The text that the browser has in place of a server error's message. React keeps the message on the server, so all
 * such reports and console lines read the same, and add nothing to the server's own error.
 */
function isHiddenServerError(message: string): boolean {
  return /Minified React error #441\b|An error occurred in the Server Components render/.test(message);
}

/**
 * The SDK's note that it sent a report, or the console's copy of the error. Beside the server's error they only repeat
 * it.
 */
function isEcho({ category, message }: Breadcrumb): boolean {
  return category === 'sentry.event' || (category === 'console' && isHiddenServerError(message));
}

/** A request as the recorder saw it, at its beginning. */
function toFlightMoment(flight: FlightSummary): TimelineMoment {
  const { id, startedAt, kind, status, durationMs, outcome } = flight;
  const end = outcome === 'complete' || outcome === 'none' ? '' : `, ${outcome === 'left' ? 'left' : 'broke off'}`;
  return {
    time: startedAt,
    side: 'server',
    category: kind,
    kind: isFailed(flight) ? 'error' : kind,
    message: `${nameFlight(flight)} → ${status}, ${formatDuration(durationMs)}${end}`,
    data: {},
    isError: false,
    href: flightPath(id),
  };
}

/** What both sides did, and when the error appeared on each of them, oldest first. The two clocks may differ. */
export function listMoments(
  { server, browser, breadcrumbs }: ErrorDetails,
  flights: readonly FlightSummary[] = [],
): TimelineMoment[] {
  const strikes = [
    ...(server ? [toStrike(server, 'server')] : []),
    ...browser.map((report) =>
      server && isHiddenServerError(report.message) ? toShowing(report) : toStrike(report, 'browser'),
    ),
  ];
  const crumbs = server ? breadcrumbs.filter((crumb) => !isEcho(crumb)) : breadcrumbs;
  return [...flights.map(toFlightMoment), ...crumbs.map(toMoment), ...strikes].sort((a, b) => a.time - b.time);
}

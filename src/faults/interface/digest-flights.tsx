import { flightPath } from '#src/server/http/addresses.ts';
import { formatRowName } from '#viewer/view-hash.ts';
import { KindBadge } from '#src/ui/kind-badge.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { decodeFlight, readErrors } from '#flight';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import { findFailedAt, readFlight, type FlightsOfError } from '#src/flights/for-operator/queries.ts';
import { findFlightsOf } from '../digests/find-flights-of.ts';
import type { ErrorDetails } from '#src/faults/kept/error-details.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';

import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { readPayload } from '#src/flights/flight/read-payload.ts';

const shown = 3;

/** The name of the row that carries `digest`; undefined when no kept row does. */
async function findCarrier({ id }: FlightSummary, digest: string): Promise<string | undefined> {
  const recorded = await readFlight(id);
  if (!recorded) return undefined;
  const flight = decodeFlight(readPayload(recorded));
  const carrier = readErrors(flight).find((error) => error.digest === digest);
  return carrier && formatRowName(flight, carrier.row);
}

async function DigestFlight({ flight, digest, now }: { flight: FlightSummary; digest: string; now: number }) {
  const row = await findCarrier(flight, digest);
  return (
    <li className="stack-1">
      <p className="flex flex-wrap items-center gap-x-2">
        <KindBadge kind={flight.kind} /> <span className="code">{nameFlight(flight)}</span>{' '}
        <Moment time={flight.startedAt} now={now} isDense />
      </p>
      <p>
        <Link to={`${flightPath(flight.id)}${row === undefined ? '' : `#row=${row}`}`} prefetch="intent">
          {row === undefined ? 'See the flight' : 'See the flight, at the row that carries it'}
        </Link>
        {row === undefined && digest !== '' ? (
          <span className="text-quiet">
            {' '}
            (no recorded row has the digest: it was in the HTML, or in what is not kept)
          </span>
        ) : null}
      </p>
    </li>
  );
}

/**
 * The error of a route handler has no digest, and mostly no request id: then its address and time say what may be its answer, or its time
 * alone.
 */
async function findAnswers({ app, digest, server }: ErrorDetails): Promise<readonly FlightSummary[]> {
  if (app === ownApp || !server || digest !== null) return [];
  return findFailedAt(server);
}

/** Nothing where the error names the request of this flight. */
function describeGuess(
  foundBy: FlightsOfError['foundBy'],
  count: number,
  { server }: Pick<ErrorDetails, 'server'>,
): string | undefined {
  const unnamed = server?.requestId
    ? 'The request that the error names is not recorded'
    : 'The error has no request id';
  const they = count === 1 ? 'This answer' : 'These answers';
  switch (foundBy) {
    case 'request':
      return undefined;
    case 'trace':
      return count === 1 ? undefined : 'They are of the error’s trace: a document, and what its tab asked for later.';
    case 'time':
      return count === 1
        ? `It carried the digest at about the time of the error. ${unnamed}.`
        : `They carried the digest at about the time of the error. ${unnamed}, so which is its own is unknown.`;
    case 'digest':
      return `${unnamed}, and no recorded one that carried its digest was under way then. ${they} carried it within five minutes, perhaps for another visitor.`;
  }
}

/** Leads from an error to the flights that carried it. Shows nothing when none of them is recorded. */
export async function DigestFlights({ details, now }: { details: ErrorDetails; now: number }) {
  const { foundBy, flights } = await findFlightsOf(details);
  if (flights.length > 0) {
    const guess = describeGuess(foundBy, flights.slice(0, shown).length, details);
    return <CarryingFlights flights={flights} digest={details.digest ?? ''} guess={guess} now={now} />;
  }
  const answers = await findAnswers(details);
  if (answers.length > 0) return <AnswersThen flights={answers} hasAddress={details.server?.path !== ''} now={now} />;
  // A flight that fails is kept unless nothing is, or its app's proxy keeps less.
  return <WhyFewFlights app={details.app} />;
}

type AnswersThenProps = {
  readonly flights: readonly FlightSummary[];
  /** Else they are those of its time. */
  readonly hasAddress: boolean;
  readonly now: number;
};

function AnswersThen({ flights, hasAddress, now }: AnswersThenProps) {
  const they = flights.length === 1 ? 'This answer' : 'These answers';
  return (
    <Panel title="Recorded flight">
      <p className="text-sm text-quiet">
        {hasAddress
          ? `The error has no request id. ${they} of its address failed at that time, and may be of another error.`
          : `The error has neither a request id nor an address. ${they} failed at that time, and may be of another error.`}
      </p>
      <ul className="stack-3 list-none p-0 text-sm">
        {flights.slice(0, shown).map((flight) => (
          <li key={flight.id} className="flex flex-wrap items-center gap-x-2">
            <KindBadge kind={flight.kind} /> <span className="code">{nameFlight(flight)}</span>{' '}
            <Moment time={flight.startedAt} now={now} isDense />
            <Link to={flightPath(flight.id)} prefetch="intent">
              See the flight
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

type CarryingFlightsProps = {
  readonly flights: readonly FlightSummary[];
  /** Why they may be of another error. */
  readonly guess?: string | undefined;
  readonly digest: string;
  readonly now: number;
};

/** The same for a digest whose error nobody reported. */
export function CarryingFlights({ flights, digest, guess, now }: CarryingFlightsProps) {
  if (flights.length === 0) return null;
  return (
    <Panel title="Recorded flight">
      {guess === undefined ? null : <p className="text-sm text-quiet">{guess}</p>}
      <ul className="stack-3 list-none p-0 text-sm">
        {flights.slice(0, shown).map((flight) => (
          <DigestFlight key={flight.id} flight={flight} digest={digest} now={now} />
        ))}
      </ul>
    </Panel>
  );
}

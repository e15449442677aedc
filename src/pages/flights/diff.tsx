import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import { FlightsHeading } from '#src/flights/interface/flights-heading.tsx';
import { formatCount } from '#flight';
import { flightDiffPath, flightsDiffPath, flightsPath } from '#src/server/http/addresses.ts';
import { readFlight } from '#src/flights/for-operator/queries.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** The recording keeps fewer; nobody ticks this many. */
const maxTicked = 1_000;

function describeTicked(asked: readonly string[], ids: readonly number[]): string {
  if (asked.length === 0) return 'None is chosen.';
  if (ids.length < asked.length) return 'One of them is no number of a flight.';
  return ids.length === 1 ? 'One is chosen.' : `${formatCount(ids.length)} are chosen.`;
}

/**
 * Where the list of flights sends what was ticked, as `?flight=7&flight=9`: two flights, in any order, of which the older one is
 * before. With fewer or more it says what is needed, as other pages of forms do, with status 200.
 */
export default async function DiffOfTwoPage({ query }: { query: string }) {
  const asked = new URLSearchParams(query)
    .getAll('flight')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .slice(0, maxTicked);
  const ids = [...new Set(asked.map(parseFlightId).filter((id) => id !== undefined))];
  const [first, second, third] = ids;
  if (first !== undefined && second !== undefined && third === undefined && ids.length === asked.length) {
    const [one, other] = [await readFlight(first), await readFlight(second)];
    if (!one || !other) return notFound();
    const isOlder = one.startedAt < other.startedAt || (one.startedAt === other.startedAt && one.id < other.id);
    redirect(isOlder ? flightDiffPath(other.id, one.id) : flightDiffPath(one.id, other.id));
  }
  return (
    <div className="stack-5">
      <title>Compare two flights · Flight Recorder</title>
      <FlightsHeading up title="Compare two flights">
        <p>
          A comparison takes two flights. {describeTicked(asked, ids)} Tick two in{' '}
          <Link to={flightsPath} prefetch="intent">
            the list
          </Link>
          , or write their numbers.
        </p>
      </FlightsHeading>
      <form method="get" action={flightsDiffPath} className="filters" aria-label="Two flights">
        <label>
          One flight
          <input name="flight" inputMode="numeric" pattern="[1-9][0-9]*" required defaultValue={first ?? ''} />
        </label>
        <label>
          Another
          <input name="flight" inputMode="numeric" pattern="[1-9][0-9]*" required defaultValue={second ?? ''} />
        </label>
        <span className="flex items-center">
          <button type="submit">Compare</button>
        </span>
      </form>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

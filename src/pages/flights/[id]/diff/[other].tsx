import { unstable_notFound as notFound } from 'waku/router/server';

import { flightPath } from '#src/http/addresses.ts';
import { FlightDiff } from '#src/viewer/diff/flight-diff.tsx';
import { parseFlightId } from '#src/components/flights/flight-query.ts';
import { FlightsHeading } from '#src/components/flights/flights-heading.tsx';
import { nameFlight } from '#src/components/flights/name-flight.ts';
import { readPayload } from '#src/recorder/read-payload.ts';
import { formatUtc } from '#src/components/format-time.ts';
import { decodeFlight, diffFlights, formatBytes } from '#flight';
import { readFlight } from '#src/recorder/for-operator/queries.ts';
import type { RecordedFlight } from '#src/recorder/flight-record.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

async function open(text: string) {
  const id = parseFlightId(text);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) notFound();
  return { id: recorded.id, recorded, flight: decodeFlight(readPayload(recorded)) };
}

function Side({ sign, recorded }: { sign: string; recorded: RecordedFlight }) {
  return (
    <span className="flex flex-wrap gap-x-2">
      {sign}
      <Link to={flightPath(recorded.id)} prefetch="intent">
        flight {recorded.id}
      </Link>
      <span className="text-quiet">
        {recorded.kind} {nameFlight(recorded)}, {formatBytes(recorded.bytes)}, {formatUtc(recorded.startedAt)}
      </span>
    </span>
  );
}

/** `other` is the earlier flight, `id` the later one. */
export default async function DiffPage({ id, other }: { id: string; other: string }) {
  const [before, after] = [await open(other), await open(id)];
  return (
    <div className="stack-5">
      <title>{`Flights ${before.id} and ${after.id} · Flight Recorder`}</title>
      <FlightsHeading up title="Two flights compared">
        <div className="text-sm">
          <Side sign="−" recorded={before.recorded} />
          <Side sign="+" recorded={after.recorded} />
        </div>
      </FlightsHeading>
      <FlightDiff diff={diffFlights(before.flight, after.flight)} before={before} after={after} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import { unstable_notFound as notFound, unstable_redirect as redirect } from 'waku/router/server';

import { flightOfRequestPath, flightPath, flightsPath } from '#src/server/http/addresses.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { FlightsHeading } from '#src/flights/interface/flights-heading.tsx';
import { visitPath } from '#src/flights/interface/visit-path.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { readStoredRecording } from '#src/flights/for-operator/recording-state.ts';
import { waitForFlight } from '#src/flights/for-operator/wait-for-flight.ts';
import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { ownApp } from '#src/store/own-app.ts';
import { describePolicy } from '#src/flights/interface/describe-policy.ts';

/** From a request to its flight, which may not be written yet. */
export default async function FlightOfRequestPage({ request: id, query }: { request: string; query: string }) {
  const own = currentRequest();
  if (!own || !/^[0-9a-f]{32}$/.test(id)) notFound();
  const shows = new URLSearchParams(query).get('shows') === 'visit' ? 'visit' : undefined;
  const flight = await waitForFlight(id, own.signal);
  if (flight) redirect(shows === 'visit' ? visitPath(flight) : flightPath(flight.id));
  const recording = await readStoredRecording();
  return (
    <div className="stack-5">
      <title>Not recorded · Flight Recorder</title>
      <FlightsHeading up title="This request has no flight">
        <p>
          It is written when its response is over: a page that is still coming has none yet.{' '}
          <Link to={flightOfRequestPath(id, shows)} prefetch="never">
            Look again
          </Link>
          , or see <Link to={flightsPath}>all flights</Link>.
        </p>
        {recording ? <p>Recorded here: {describePolicy(recording.policy)}.</p> : null}
        <WhyFewFlights app={ownApp} />
      </FlightsHeading>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

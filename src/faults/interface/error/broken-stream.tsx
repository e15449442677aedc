import { decodeFlight } from '#flight';
import { findNextBuild } from '#src/flights/for-operator/find-next-build.ts';
import { findFlightOfRequest, readFlight } from '#src/flights/for-operator/queries.ts';
import { readPayload } from '#src/flights/flight/read-payload.ts';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { flightPath } from '#src/server/http/addresses.ts';

import { explainStream } from './judge-stream.ts';

/** What `flight-recorder/browser` tells of an answer that ended too early stands in its extra data under this name. */
const prefix = 'stream.';

async function isWhole(id: number): Promise<boolean> {
  const recorded = await readFlight(id);
  // What was not kept says nothing.
  return !recorded || recorded.isCut || decodeFlight(readPayload(recorded)).state.kind === 'complete';
}

type BrokenStreamProps = { readonly extra: Readonly<Record<string, string>>; readonly app: string };

/** Who ended the answer that a browser called too short. Nothing where the report names none, or it is another app's. */
export async function BrokenStream({ extra, app }: BrokenStreamProps) {
  const requestId = extra[`${prefix}flight`];
  if (requestId === undefined || !/^[\da-f]{32}$/.test(requestId)) return null;
  const flight = await findFlightOfRequest(requestId);
  if (!flight || flight.app !== app) {
    return <p>Its answer is not recorded: who ended it is not known. A proxy that records only failures kept none.</p>;
  }
  const facts = {
    outcome: flight.outcome,
    durationMs: flight.durationMs,
    isWhole: await isWhole(flight.id),
    wasOnline: extra[`${prefix}online`] !== 'false',
    deploy: await findNextBuild(flight),
  };
  return (
    <section aria-label="Who ended it" className="stack-1.5">
      <h4>Who ended it</h4>
      <p>{explainStream(facts)}</p>
      <p>
        <Link to={flightPath(flight.id)} prefetch="intent">
          See the flight
        </Link>{' '}
        <span className="code text-quiet">{nameFlight(flight)}</span>
      </p>
    </section>
  );
}

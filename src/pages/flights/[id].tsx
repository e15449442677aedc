import { unstable_notFound as notFound } from 'waku/router/server';

import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { CompareFlight } from '#src/components/flights/compare-flight.tsx';
import { FlightDetails } from '#src/components/flights/flight-details.tsx';
import { FlightFacts } from '#src/components/flights/flight-facts.tsx';
import { FlightNeighbours } from '#src/components/flights/flight-neighbours.tsx';
import { FlightNotes } from '#src/components/flights/flight-notes.tsx';
import { parseFlightId } from '#src/components/flights/flight-query.ts';
import { FlightStrip } from '#src/components/flights/flight-strip.tsx';
import { nameFlight } from '#src/components/flights/name-flight.ts';
import { openOnServer } from '#src/components/flights/open-on-server.ts';
import { PayloadErrors } from '#src/components/flights/payload-errors.tsx';
import { RecordedArguments } from '#src/components/flights/recorded-arguments.tsx';
import { RecordedPayload } from '#src/components/flights/recorded-payload.tsx';
import { listEarlierFlights } from '#src/recorder/for-operator/earlier-flights.ts';
import { readFlight, listVisit } from '#src/recorder/for-operator/queries.ts';
import { nameAction, readSources } from '#src/recorder/for-operator/sources.ts';

export default async function FlightPage({ id: text }: { id: string }) {
  const id = parseFlightId(text);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) notFound();
  const visit = await listVisit(recorded);
  const earlier = await listEarlierFlights(recorded);
  const { plain, errors } = openOnServer(recorded);
  const now = Date.now();
  const source = recorded.actionId === undefined ? undefined : nameAction(readSources(), recorded.actionId);
  return (
    <div className="stack-2">
      <title>{`${nameFlight(recorded)} · Flight Recorder`}</title>
      <FlightStrip flight={recorded} now={now} />
      <PayloadErrors errors={errors} digests={recorded.digests} app={recorded.app} />
      <FlightNotes recorded={recorded} />
      <FlightDetails flight={recorded} visit={visit.length} earlier={earlier}>
        <FlightFacts flight={recorded} now={now} source={source} apps={await listAppNames()} />
        <div className="grid min-w-0 gap-4">
          <FlightNeighbours flight={recorded} visit={visit} />
          <CompareFlight flight={recorded} earlier={earlier} now={now} />
          {recorded.args ? <RecordedArguments args={recorded.args} /> : null}
        </div>
      </FlightDetails>
      <RecordedPayload recorded={recorded} plain={plain} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

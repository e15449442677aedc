import { unstable_notFound as notFound } from 'waku/router/server';

import { flightExportPath } from '#src/http/addresses.ts';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { CompareFlight } from '#src/components/flights/compare-flight.tsx';
import { DeleteFlightForm } from '#src/components/flights/delete-flight-form.tsx';
import { FlightFacts } from '#src/components/flights/flight-facts.tsx';
import { FlightNeighbours } from '#src/components/flights/flight-neighbours.tsx';
import { parseFlightId } from '#src/components/flights/flight-query.ts';
import { FlightsHeading } from '#src/components/flights/flights-heading.tsx';
import { nameFlight } from '#src/components/flights/name-flight.ts';
import { PayloadErrors } from '#src/components/flights/payload-errors.tsx';
import { RecordedArguments } from '#src/components/flights/recorded-arguments.tsx';
import { RecordedPayload } from '#src/components/flights/recorded-payload.tsx';
import { KindBadge } from '#src/components/kind-badge.tsx';
import { readPayload } from '#src/recorder/read-payload.ts';
import { decodeFlight } from '#flight';
import { readFlight, listVisit } from '#src/recorder/for-operator/queries.ts';
import { nameAction, readSources } from '#src/recorder/for-operator/sources.ts';

export default async function FlightPage({ id: text }: { id: string }) {
  const id = parseFlightId(text);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) notFound();
  const visit = await listVisit(recorded);
  const flight = decodeFlight(readPayload(recorded));
  const now = Date.now();
  const source = recorded.actionId === undefined ? undefined : nameAction(readSources(), recorded.actionId);
  return (
    <div className="stack-5">
      <title>{`${nameFlight(recorded)} · Flight Recorder`}</title>
      <FlightsHeading up title={nameFlight(recorded)}>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
          <KindBadge kind={recorded.kind} />
          <span className="text-quiet">flight {recorded.id}</span>
          <a href={flightExportPath(recorded.id)} download={`flight-${recorded.id}.json`}>
            Export as a file
          </a>
          <DeleteFlightForm id={recorded.id} />
        </div>
      </FlightsHeading>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <FlightFacts flight={recorded} now={now} source={source} apps={await listAppNames()} />
        <div className="grid min-w-0 gap-4">
          <PayloadErrors flight={flight} digests={recorded.digests} app={recorded.app} />
          <FlightNeighbours flight={recorded} visit={visit} />
          <CompareFlight flight={recorded} now={now} />
          {recorded.args ? <RecordedArguments args={recorded.args} /> : null}
        </div>
      </div>
      <RecordedPayload recorded={recorded} flight={flight} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

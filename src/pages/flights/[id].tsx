import { unstable_notFound as notFound } from 'waku/router/server';

import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { CompareFlight } from '#src/flights/interface/compare-flight.tsx';
import { FlightDetails } from '#src/flights/interface/flight-details.tsx';
import { FlightFacts } from '#src/flights/interface/flight-facts.tsx';
import { FlightNeighbours } from '#src/flights/interface/flight-neighbours.tsx';
import { FlightNotes } from '#src/flights/interface/flight-notes.tsx';
import { parseFlightId } from '#src/flights/interface/flight-query.ts';
import { FlightStrip } from '#src/flights/interface/flight-strip.tsx';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { ServerTimePanel } from '#src/flights/interface/server-time.tsx';
import { linkPlacesOf } from '#src/ui/editor/linked-places.tsx';
import { openOnServer, readRecordedShell } from '#src/flights/interface/open-on-server.ts';
import { PageVitals } from '#src/flights/interface/page-vitals.tsx';
import { ErrorsOfAnswer } from '#src/faults/interface/errors-of-answer.tsx';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import { ownApp } from '#src/store/own-app.ts';
import { PayloadErrors } from '#src/faults/interface/payload-errors.tsx';
import { RecordedArguments } from '#src/flights/interface/recorded-arguments.tsx';
import { RecordedPayload } from '#src/flights/interface/recorded-payload.tsx';
import { listEarlierFlights } from '#src/flights/for-operator/earlier-flights.ts';
import { readFlight, listVisit } from '#src/flights/for-operator/queries.ts';
import { readServerTime } from '#src/flights/for-operator/read-spans.ts';
import { nameAction, readSources } from '#src/flights/for-operator/sources.ts';
import { readSourcesOf } from '#src/flights/for-operator/sources-of-flight.ts';

/** An app's answer that failed, and says nothing of its error: of a route handler, mostly. */
function isDigestless({ app, status, digests }: FlightSummary): boolean {
  return app !== ownApp && status >= 500 && digests.length === 0;
}

export default async function FlightPage({ id: text }: { id: string }) {
  const id = parseFlightId(text);
  const recorded = id === undefined ? undefined : await readFlight(id);
  if (!recorded) notFound();
  const visit = await listVisit(recorded);
  const earlier = await listEarlierFlights(recorded);
  const moduleFiles = await readSourcesOf(recorded);
  const { plain, errors } = openOnServer(recorded, moduleFiles);
  const serverTime = await readServerTime(recorded);
  const now = Date.now();
  const source = recorded.actionId === undefined ? undefined : nameAction(readSources(), recorded.actionId);
  return (
    <div className="stack-2">
      <title>{`${nameFlight(recorded)} · Flight Recorder`}</title>
      <KnownApps />
      <FlightStrip flight={recorded} now={now} />
      <PayloadErrors errors={errors} digests={recorded.digests} app={recorded.app} />
      {isDigestless(recorded) && errors.length === 0 ? (
        <ErrorsOfAnswer answer={{ ...recorded, endedAt: recorded.startedAt + recorded.durationMs }} />
      ) : null}
      <FlightNotes recorded={recorded} />
      <FlightDetails flight={recorded} visit={visit.length} earlier={earlier} hasPayload={plain !== undefined}>
        <FlightFacts flight={recorded} now={now} source={source} apps={await listAppNames()} />
        <div className="grid min-w-0 gap-4">
          <FlightNeighbours flight={recorded} visit={visit} />
          <CompareFlight flight={recorded} earlier={earlier} now={now} />
          {recorded.args ? <RecordedArguments args={recorded.args} /> : null}
        </div>
      </FlightDetails>
      <PageVitals flight={recorded} />
      {serverTime ? (
        <ServerTimePanel
          time={serverTime}
          shell={readRecordedShell(recorded, plain)}
          durationMs={recorded.durationMs}
          showPlaces={linkPlacesOf(recorded.app)}
        />
      ) : null}
      <RecordedPayload recorded={recorded} moduleFiles={moduleFiles} serverTime={serverTime} plain={plain} />
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

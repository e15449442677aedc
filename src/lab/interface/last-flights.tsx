import { countOf, formatBytes } from '#flight';
import { describePolicy } from '#src/flights/interface/describe-policy.ts';
import { nameFlight } from '#src/flights/interface/name-flight.ts';
import { readSourcesOf } from '#src/flights/for-operator/sources-of-flight.ts';
import { openOnServer } from '#src/flights/interface/open-on-server.ts';
import { PayloadErrors } from '#src/faults/interface/payload-errors.tsx';
import { RecordedPayload } from '#src/flights/interface/recorded-payload.tsx';
import { Moment } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { experimentPath, flightPath } from '#src/server/http/addresses.ts';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import { listFlights, readFlight } from '#src/flights/for-operator/queries.ts';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import { Link } from '#src/runtime/navigation/link.tsx';
import { ownApp } from '#src/store/own-app.ts';

/** Enough to see what an edit changed. All are in the list of flights. */
const shown = 8;

function FlightLine({ flight, now }: { flight: FlightSummary; now: number }) {
  const { flight: rows } = flight.sizes;
  return (
    <li className="flex flex-wrap gap-x-3 py-0.5">
      <Link to={flightPath(flight.id)} prefetch="never">
        {nameFlight(flight)}
      </Link>
      <span>{flight.kind}</span>
      <span className="figure">{flight.status}</span>
      {rows === undefined ? null : <span className="figure">{formatBytes(rows)}</span>}
      <span className="text-quiet">{countOf(flight.writes, 'chunk')}</span>
      <span className="text-quiet">
        <Moment time={flight.startedAt} now={now} isDense />
      </span>
    </li>
  );
}

function NoFlights() {
  const state = readRecordingState();
  return (
    <p className="text-quiet">
      None is recorded yet. Open the experiment, and come back.
      {state ? ` Recorded here: ${describePolicy(state.policy)}.` : null}
    </p>
  );
}

/** What an experiment sent last, the newest of it opened: also that of a page that failed, and without JavaScript. */
export async function LastFlights({ name, now }: { name: string; now: number }) {
  const { flights } = await listFlights({ app: ownApp, route: experimentPath(name) }, { limit: shown });
  const newest = flights[0] && (await readFlight(flights[0].id));
  if (!newest) {
    return (
      <Panel title="Last flights">
        <NoFlights />
      </Panel>
    );
  }
  const moduleFiles = await readSourcesOf(newest);
  const { plain, errors } = openOnServer(newest, moduleFiles);
  return (
    <>
      <Panel title="Last flights">
        <ul className="list-none">
          {flights.map((flight) => (
            <FlightLine key={flight.id} flight={flight} now={now} />
          ))}
        </ul>
      </Panel>
      <h2>The newest of them</h2>
      {plain ? (
        <p>
          <a
            href={`${experimentPath('about', name, 'one-file')}?flight=${newest.id}`}
            download={`${name}-${newest.id}.html`}
          >
            Save as one file with the source and the viewer
          </a>
        </p>
      ) : null}
      <PayloadErrors errors={errors} digests={newest.digests} app={newest.app} />
      <RecordedPayload recorded={newest} moduleFiles={moduleFiles} plain={plain} />
    </>
  );
}

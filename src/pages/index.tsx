import { unstable_getHeaders as getHeaders } from 'waku/router/server';

import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery, parseAppQuery } from '#src/components/app-query.ts';
import { AppSwitch } from '#src/components/app-switch.tsx';
import { parseFlightQuery, toFlightFilter } from '#src/components/flights/flight-query.ts';
import { writeEventsAddress } from '#src/components/flights/events-address.ts';
import { LiveFlights } from '#src/components/flights/live-flights.tsx';
import { FirstSteps } from '#src/components/home/first-steps.tsx';
import { HomeFaults } from '#src/components/home/home-faults.tsx';
import { LatestFlights } from '#src/components/home/latest-flights.tsx';
import { RankedRoutesPanel } from '#src/components/home/ranked-routes.tsx';
import { SearchForm } from '#src/components/search-form.tsx';
import { homePath, protocolPath } from '#src/http/addresses.ts';
import { currentRequest } from '#src/http/request-context.ts';
import { listFlights } from '#src/recorder/for-operator/queries.ts';
import { rankRoutes } from '#src/recorder/for-operator/rank-routes.ts';
import { readStoredRecording } from '#src/recorder/for-operator/recording-state.ts';
import { listFaultsForHome } from '#src/reports/faults/list-faults.ts';
import { listUngroupedErrors } from '#src/reports/queries.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

const flightsShown = 5;

/**
 * The field has the focus when the page is opened anew. On a phone that would open the keyboard over the page, and after a
 * navigation it would take the focus from the link that was followed.
 */
function takesFocus(): boolean {
  return currentRequest()?.kind === 'document' && !/\bMobi/.test(getHeaders()['user-agent'] ?? '');
}

export default async function HomePage({ query }: { query: string }) {
  const app = parseAppQuery(query);
  const search = formatAppQuery(app);
  const now = Date.now();
  const apps = await listAppNames();
  const filter = toFlightFilter(parseFlightQuery(search), apps) ?? {};
  const faults = await listFaultsForHome(app, now);
  const ungrouped = await listUngroupedErrors(app, now);
  const { flights, newest } = await listFlights(filter, { limit: flightsShown });
  const recording = flights.length === 0 ? await readStoredRecording() : undefined;
  const ranked = await rankRoutes(filter, now);
  return (
    <div className="stack-6">
      <title>Flight Recorder</title>
      <div className="stack-5">
        <div className="stack-2">
          <h1>Why did that page break?</h1>
          <p className="text-[1.0625rem]">
            Flight Recorder keeps what React Server Components apps send and what breaks in them, and turns the digest
            on an error page into its cause.
          </p>
        </div>
        <SearchForm app={app} isFirst={takesFocus()} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 empty:hidden">
        <AppSwitch apps={apps} app={app} path={homePath} to={(id) => `${homePath}${formatAppQuery(id)}`} />
        <LiveFlights address={writeEventsAddress(search, { flightsSince: newest, faultsSince: now })} />
      </div>
      <div className="grid gap-4">
        <HomeFaults listed={faults} ungrouped={ungrouped} app={app} apps={apps} now={now} />
        {apps.length > 1 ? null : <FirstSteps />}
        <div className="grid items-start gap-4 empty:hidden lg:grid-cols-2">
          <RankedRoutesPanel ranked={ranked} by="duration" />
          <RankedRoutesPanel ranked={ranked} by="flight" />
        </div>
        <LatestFlights flights={flights} recording={recording} now={now} app={app} apps={apps} />
      </div>
      <p className="text-quiet">
        New to Flight, the format that all of this is about?{' '}
        <Link to={protocolPath} prefetch="intent">
          The protocol, token by token
        </Link>
        .
      </p>
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

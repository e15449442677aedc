import { unstable_getHeaders as getHeaders } from 'waku/router/server';

import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { formatAppQuery, parseAppQuery } from '#src/ui/app-query.ts';
import { AppSwitch } from '#src/ui/app-switch.tsx';
import { parseFlightQuery, toFlightFilter } from '#src/flights/interface/flight-query.ts';
import { writeEventsAddress } from '#src/flights/interface/events-address.ts';
import { LiveFlights } from '#src/flights/interface/live-flights.tsx';
import { FirstSteps } from '#src/pages/_components/home/first-steps.tsx';
import { HomeTop } from '#src/pages/_components/home/home-top.tsx';
import { HomeFaults } from '#src/pages/_components/home/home-faults.tsx';
import { LatestFlights } from '#src/pages/_components/home/latest-flights.tsx';
import { RankedRoutesPanel } from '#src/pages/_components/home/ranked-routes.tsx';
import { readExampleDigest } from '#src/pages/_components/home/read-example-digest.ts';
import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { ownApp } from '#src/store/own-app.ts';
import { SearchForm } from '#src/ui/search-form.tsx';
import { appsPath, homePath, protocolPath } from '#src/server/http/addresses.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import { listFlights } from '#src/flights/for-operator/queries.ts';
import { rankRoutes } from '#src/flights/for-operator/rank-routes.ts';
import { listKept, type Kept } from '#src/flights/for-operator/list-kept.ts';
import { readStoredRecording } from '#src/flights/for-operator/recording-state.ts';
import { listFaultsForHome } from '#src/faults/grouping/list-faults.ts';
import { listUngroupedErrors } from '#src/faults/kept/queries.ts';
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
  const kept = flights.length === 0 ? await listKept() : new Map<string, Kept>();
  const ranked = await rankRoutes(filter, now);
  const ranking = app === undefined ? apps : [];
  const isEmpty = app === undefined && faults.total === 0 && ungrouped.length === 0 && flights.length === 0;
  return (
    <div className="stack-6">
      <title>Flight Recorder</title>
      <HomeTop isEmpty={isEmpty}>
        <SearchForm app={app} isFirst={takesFocus()} example={await readExampleDigest(app, apps)} />
      </HomeTop>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 empty:hidden">
        <AppSwitch apps={apps} app={app} path={homePath} to={(id) => `${homePath}${formatAppQuery(id)}`} />
        <LiveFlights address={writeEventsAddress(search, { flightsSince: newest, faultsSince: now })} />
      </div>
      {isEmpty ? <FirstSteps apps={apps} kept={kept} /> : null}
      {/* What is new, slow and latest is seen without scrolling: at 1280 × 800, too. */}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <HomeFaults listed={faults} ungrouped={ungrouped} app={app} apps={apps} now={now} />
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <RankedRoutesPanel ranked={ranked} by="duration" apps={ranking} />
          <LatestFlights flights={flights} recording={recording} kept={kept} now={now} app={app} apps={apps} />
          <RankedRoutesPanel ranked={ranked} by="flight" apps={ranking} />
        </div>
      </div>
      {isEmpty ? null : <WhyFewFlights app={app ?? (apps.length > 1 ? undefined : ownApp)} />}
      {apps.length > 1 || isEmpty ? null : (
        <p>
          Only pages of Flight Recorder itself are recorded. <Link to={appsPath}>Add an app of yours</Link>.
        </p>
      )}
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

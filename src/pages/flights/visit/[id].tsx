import { countOf, formatBytes, formatCount } from '#flight';
import { unstable_notFound as notFound } from 'waku/router/server';

import { KnownApps } from '#src/pages/_components/known-apps.tsx';
import { flightVisitPath } from '#src/server/http/addresses.ts';
import { isFailed } from '#src/flights/flight/is-failed.ts';
import { parseFlightQuery } from '#src/flights/interface/flight-query.ts';
import { FlightsHeading } from '#src/flights/interface/flights-heading.tsx';
import { MoreRows, rowsShown } from '#src/flights/interface/more-rows.tsx';
import { describeWaste, LedgerKey, PrefetchLedger } from '#src/flights/interface/prefetch-ledger.tsx';
import { WhyFewFlights } from '#src/flights/interface/why-few-flights.tsx';
import { sizeTitles } from '#src/flights/interface/size-text.tsx';
import { parseVisit } from '#src/flights/interface/visit-path.ts';
import { VisitTimeline } from '#src/flights/interface/visit-timeline.tsx';
import { AbsoluteTime } from '#src/ui/moment.tsx';
import { Panel } from '#viewer/panel.tsx';
import { Term } from '#viewer/term.tsx';
import { countHitsBetween, listVisit, visitLimit } from '#src/flights/for-operator/queries.ts';
import type { FlightSummary } from '#src/flights/flight/flight-record.ts';
import {
  addPrefetches,
  countLinks,
  readPrefetchLedger,
  type PrefetchSums,
} from '#src/flights/for-operator/prefetch-ledger.ts';

/** Sums of what is known: of some flights it is not. */
function Sizes({ flights }: { flights: readonly FlightSummary[] }) {
  return (['flight', 'transferred'] as const).map((of, index) => {
    const known = flights.flatMap(({ sizes }) => sizes[of] ?? []);
    const bytes = known.length === 0 ? '–' : formatBytes(known.reduce((sum, each) => sum + each, 0));
    const isPart = known.length > 0 && known.length < flights.length;
    return (
      <span
        key={of}
        title={
          isPart
            ? `Of ${known.length} of the ${countOf(flights.length, 'flight')}: of the others it is not known`
            : sizeTitles[of]
        }
      >
        {index === 0 ? 'Flight ' : ', transferred '}
        {isPart ? 'at least ' : ''}
        {bytes}
      </span>
    );
  });
}

function describePrefetches(sums: PrefetchSums, links: number): string {
  const sent = `${countOf(sums.sent, 'request')} for ${countOf(links, 'link')}`;
  const unknown = sums.unknown > 0 ? `, ${formatCount(sums.unknown)} unknown` : '';
  const became = `${formatCount(sums.used)} used, ${formatCount(sums.unused + sums.expired)} wasted${unknown}`;
  return `Prefetched: ${sent}, of which ${became} (${describeWaste(sums)}).`;
}

/** The number of the first row that is shown, from 0. */
function readSkip(query: string): number {
  const text = new URLSearchParams(query).get('skip') ?? '';
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
}

export default async function VisitPage({ id, query }: { id: string; query: string }) {
  const visit = parseVisit(id);
  const flights = visit ? await listVisit(visit) : [];
  const first = flights[0];
  if (!visit || !first) notFound();
  const links = visit.visit === undefined ? [] : await readPrefetchLedger({ visit: visit.visit }, 'link');
  const sums = addPrefetches(links);
  const isMore = flights.length >= visitLimit;
  const end = flights.reduce((latest, { startedAt, durationMs }) => Math.max(latest, startedAt + durationMs), 0);
  const counted = await countHitsBetween(first.startedAt, end);
  const skip = readSkip(query);
  const failed = flights.filter(isFailed).length;
  return (
    <div className="stack-5">
      <title>Visit · Flight Recorder</title>
      <KnownApps />
      <FlightsHeading up title={<Term word="visit">Visit</Term>}>
        <p>
          What is kept of what one browser{first.source === 'proxy' ? '' : ' tab'} got from{' '}
          <AbsoluteTime time={first.startedAt} /> on: {isMore ? 'at least ' : ''}
          {countOf(flights.length, 'flight')}, <Sizes flights={flights} />
          {failed > 0 ? `, ${failed} failed` : ''}.
        </p>
        {sums.sent > 0 ? <p>{describePrefetches(sums, countLinks(links))}</p> : null}
        {first.source === 'proxy' ? (
          <p className="text-sm text-quiet">
            The browsers of {first.app} do not name their tabs. That these belong together is a guess, from who asked,
            with which browser, and when.
          </p>
        ) : null}
      </FlightsHeading>
      <WhyFewFlights app={first.app} />
      <Panel title="Timeline">
        <VisitTimeline flights={flights.slice(skip, skip + rowsShown)} start={first.startedAt} />
        <MoreRows skip={skip} total={flights.length} isMore={isMore} path={flightVisitPath(id)} />
        <p className="text-sm text-quiet">
          Pauses are shortened. The pale part of a prefetch is how long its page waited to be used. It is red when the
          page was not used.
        </p>
        {counted > 0 ? (
          <p className="text-sm">
            Meanwhile {countOf(counted, 'hit')} of prerendered pages, of all visitors, {counted === 1 ? 'was' : 'were'}{' '}
            too many at once to be recorded one by one. Some of them may belong here.
          </p>
        ) : null}
      </Panel>
      {links.length > 0 ? (
        <Panel title="Prefetches by link">
          <LedgerKey />
          <PrefetchLedger groups={links} by="link" query={parseFlightQuery('?own=1')} />
        </Panel>
      ) : null}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import { formatBytes, formatCount } from '#flight';
import { unstable_notFound as notFound } from 'waku/router/server';

import { FlightsHeading } from '#src/components/flights/flights-heading.tsx';
import { describeWaste, LedgerKey, PrefetchLedger, sumLedger } from '#src/components/flights/prefetch-ledger.tsx';
import { parseVisit } from '#src/components/flights/visit-path.ts';
import { VisitTimeline } from '#src/components/flights/visit-timeline.tsx';
import { formatUtc } from '#src/components/format-time.ts';
import { Panel } from '#src/components/panel.tsx';
import { countHitsBetween, listVisit } from '#src/recorder/for-operator/queries.ts';
import { readPrefetchLedger } from '#src/recorder/for-operator/summaries.ts';

export default async function VisitPage({ id }: { id: string }) {
  const visit = parseVisit(id);
  const flights = visit ? await listVisit(visit) : [];
  const first = flights[0];
  if (!visit || !first) notFound();
  const links = visit.visit === undefined ? [] : await readPrefetchLedger({ visit: visit.visit });
  const { sent, used, wasted, unknown, ...waste } = sumLedger(links);
  const bytes = flights.reduce((sum, flight) => sum + flight.bytes, 0);
  const end = flights.reduce((latest, { startedAt, durationMs }) => Math.max(latest, startedAt + durationMs), 0);
  const counted = await countHitsBetween(first.startedAt, end);
  const failed = flights.filter((flight) => flight.digests.length > 0).length;
  return (
    <div className="stack-5">
      <title>Visit · Flight Recorder</title>
      <FlightsHeading up title="Visit">
        <p>
          What one browser tab got from {formatUtc(first.startedAt)} on: {flights.length}{' '}
          {flights.length === 1 ? 'flight' : 'flights'}, {formatBytes(bytes)}
          {failed > 0 ? `, ${failed} with an error` : ''}.
          {sent > 0
            ? ` Prefetched pages: ${sent}, of which ${used} used, ${unknown > 0 ? `${unknown} unknown` : `${wasted} wasted`} (${describeWaste(waste)}).`
            : ''}
        </p>
        {first.source === 'proxy' ? (
          <p className="text-sm text-quiet">
            The browsers of {first.app} do not name their tabs. That these belong together is a guess, from who asked,
            with which browser, and when.
          </p>
        ) : null}
      </FlightsHeading>
      <Panel title="Timeline">
        <VisitTimeline flights={flights} />
        <p className="text-sm text-quiet">
          Pauses are shortened. The pale part of a prefetch is how long its page waited to be used. It is red when the
          page was not used.
        </p>
        {counted > 0 ? (
          <p className="text-sm">
            Meanwhile {formatCount(counted)} hits of prerendered pages, of all visitors, were too many at once to be
            recorded one by one. Some of them may belong here.
          </p>
        ) : null}
      </Panel>
      {links.length > 0 ? (
        <Panel title="Prefetches by link">
          <LedgerKey />
          <PrefetchLedger links={links} />
        </Panel>
      ) : null}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}

import 'server-only';

import type { FlightSummary } from '#src/flights/flight/flight-record.ts';

import type { Newest } from '../kept/newest-under.ts';

type Carrier = Pick<FlightSummary, 'digests' | 'build' | 'startedAt'>;

function findNearest(holders: readonly Newest[], time: number): Newest | undefined {
  const distance = (holder: Newest) => Math.abs(holder.time - time);
  return holders.reduce<Newest | undefined>(
    (nearest, holder) => (nearest && distance(nearest) <= distance(holder) ? nearest : holder),
    undefined,
  );
}

/**
 * The flights that carried this fault, and not another one with the same digest. Next.js hashes the message alone, so the next build may
 * throw elsewhere with the same digest. The build says which error was a flight's, else the time.
 */
export function chooseCarriers<T extends Carrier>(
  fault: string,
  flights: readonly T[],
  holders: readonly Newest[],
): readonly T[] {
  const byDigest = Map.groupBy(holders, ({ digest }) => digest);
  function isCarried({ build, startedAt }: Carrier, digest: string): boolean {
    const held = byDigest.get(digest) ?? [];
    const ofBuild = held.filter(({ release }) => release !== '' && release === build);
    return findNearest(ofBuild.length > 0 ? ofBuild : held, startedAt)?.fault === fault;
  }
  return flights.filter((flight) => {
    const held = flight.digests.filter((digest) => byDigest.has(digest));
    return held.length === 0 || held.some((digest) => isCarried(flight, digest));
  });
}

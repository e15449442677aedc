import 'server-only';

import type { FlightSummary } from '#src/flights/flight/flight-record.ts';

import type { DigestHolder } from '../grouping/kept-errors.ts';

type Carrier = Pick<FlightSummary, 'digests' | 'build' | 'startedAt'>;

/**
 * The flights that carried this fault, and not another one with the same digest: the next build may throw elsewhere, and Next.js hashes the
 * message alone. An error is that of a flight by its build, else by its time.
 */
export function chooseCarriers<T extends Carrier>(
  fault: string,
  flights: readonly T[],
  holders: readonly DigestHolder[],
): readonly T[] {
  const byDigest = Map.groupBy(holders, ({ digest }) => digest);
  function isCarried({ build, startedAt }: Carrier, digest: string): boolean {
    const held = byDigest.get(digest) ?? [];
    const ofBuild = held.filter(({ release }) => release !== '' && release === build);
    const distance = ({ time }: DigestHolder) => Math.abs(time - startedAt);
    const [nearest] = (ofBuild.length > 0 ? ofBuild : held).toSorted((a, b) => distance(a) - distance(b));
    return nearest?.fault === fault;
  }
  return flights.filter((flight) => {
    const held = flight.digests.filter((digest) => byDigest.has(digest));
    return held.length === 0 || held.some((digest) => isCarried(flight, digest));
  });
}

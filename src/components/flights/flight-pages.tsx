import { flightsPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { formatFlightQuery, type FlightQuery } from './flight-query.ts';

type FlightPagesProps = {
  readonly query: FlightQuery;
  /** The id at which the page after this one begins. */
  readonly older: number | undefined;
  /** The id at which the page before this one begins; undefined for the newest. */
  readonly newer: number | undefined;
};

/** Links to older and newer flights. */
export function FlightPages({ query, older, newer }: FlightPagesProps) {
  const isNewest = query.before === undefined;
  if (isNewest && older === undefined) return null;
  const to = (before: number | undefined) => `${flightsPath}${formatFlightQuery({ ...query, before })}`;
  return (
    <nav aria-label="More flights" className="flex flex-wrap gap-x-5 gap-y-1">
      {isNewest ? null : (
        <>
          <Link to={to(undefined)} prefetch="intent">
            Newest
          </Link>
          <Link to={to(newer)} prefetch="intent">
            Newer
          </Link>
        </>
      )}
      {older === undefined ? null : (
        <Link to={to(older)} prefetch="intent">
          Older
        </Link>
      )}
    </nav>
  );
}

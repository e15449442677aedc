import 'server-only';

import { sql } from 'kysely';

/** `FlightSizes.flight` of a row (flight-sizes.ts), in SQL; null where it is not known. */
export const flightSize = sql<number | null>`case content when 'html' then flight_bytes else bytes end`;

/** The same of `FlightSizes.response`. */
export const responseSize = sql<
  number | null
>`coalesce(decoded_bytes, case when source = 'runtime' and outcome = 'complete'
  and (content = 'html' or kind in ('navigation', 'prefetch', 'navigation-or-prefetch', 'slice')) then bytes end)`;

import type { FlightSummary } from '../flight/flight-record.ts';

/** `GET /lab/actions?key`: only the names of the query's parameters, since their values are not recorded. */
export function nameFlight({ method, path, query }: Pick<FlightSummary, 'method' | 'path' | 'query'>): string {
  return `${method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

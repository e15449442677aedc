import { flightVisitPath } from '#src/server/http/addresses.ts';
import type { FlightSummary } from '../flight/flight-record.ts';

type Visit = Pick<FlightSummary, 'visit' | 'traceId'>;

const tracePrefix = 'trace-';

/** The address of a flight's visit: by the tab's id, or by the trace of the document when the tab never sent its id. */
export function visitPath({ visit, traceId }: Visit): string {
  return flightVisitPath(visit ?? `${tracePrefix}${traceId}`);
}

/** The visit that the last part of such a path names; undefined when it names none. */
export function parseVisit(name: string): Visit | undefined {
  const isTrace = name.startsWith(tracePrefix);
  const id = isTrace ? name.slice(tracePrefix.length) : name;
  if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
  return isTrace ? { visit: undefined, traceId: id } : { visit: id, traceId: '' };
}

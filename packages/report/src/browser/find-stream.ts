import { readFlightId } from './flight-id.ts';

/**
 * Which answer ended when React said that its connection was closed. React does not know; the browser notes of each answer when it began
 * and ended, and the proxy has named its flight. So the recorder can say what the server had sent by then.
 */
export type EndedStream = {
  /** The request's id, as the proxy has named it. */
  readonly flight: string;
  /** From the request to the end, as the browser saw it. */
  readonly ms: number;
  readonly online: boolean;
};

/** React says it in the task that follows the end, or soon: on a busy page it waits for others. */
const nearMs = 3_000;

/** @param at when React said it, on the clock of the page */
export function findStream(at: number): EndedStream | undefined {
  const entries = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
  const named = entries.flatMap((entry) => {
    if (!(entry instanceof PerformanceResourceTiming)) return [];
    const flight = readFlightId(entry);
    // A document that is broken off may have no end yet.
    const end = entry.responseEnd || at;
    return flight === undefined ? [] : [{ flight, ms: Math.round(end - entry.startTime), away: Math.abs(end - at) }];
  });
  const [nearest] = named.filter(({ away }) => away <= nearMs).toSorted((a, b) => a.away - b.away);
  return nearest && { flight: nearest.flight, ms: nearest.ms, online: navigator.onLine };
}

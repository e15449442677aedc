import { tunnelPath } from '#src/http/addresses.ts';

import { recall, remember } from '../navigation/session-memory.ts';

/**
 * The reports that have not reached the server. deliver-reports.ts posts them, once it is loaded; until then, and without
 * a connection, they are kept here and remembered for the next document of this tab. When the document goes out of sight,
 * which may be its end, all of them go out as beacons. So a report may be sent twice: its event's id is the same each
 * time, and the server keeps one.
 */
export type Delivery = 'underway' | 'arrived';

/** An error in a loop must not grow the page; the first ones tell the cause. */
export const reportsKept = 20;
/** In a page that lives for days the older ones are not on the screen any more. */
const arrivalsKept = 100;
const memoryKey = 'flight:reports';
/** In no envelope: JSON escapes it. */
const separator = '\0';

/** Envelopes, the oldest first. */
export const keptReports: string[] = [];
/** Digests, the newest first. */
let arrived: readonly string[] = [];
const listeners = new Set<() => void>();

/** At once: what a document writes at its very end may not be there for the next one. */
function rememberReports(): void {
  remember(memoryKey, keptReports.join(separator));
}

export function keepReport(envelope: string): void {
  if (keptReports.length === reportsKept) return;
  keptReports.push(envelope);
  rememberReports();
}

/** The oldest has been answered for good. */
export function dropReport(): void {
  keptReports.shift();
  rememberReports();
}

/** What has become of the report under `digest`. */
export function readDelivery(digest: string): Delivery {
  return arrived.includes(digest) ? 'arrived' : 'underway';
}

export function subscribeToDeliveries(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function noteArrival(digest: string): void {
  arrived = [digest, ...arrived].slice(0, arrivalsKept);
  for (const listener of listeners) listener();
}

/** The receiver takes the difference to its own clock for a wrong clock here, so the time is that of sending. */
export function stampReport(envelope: string): string {
  return envelope.replace(/"sent_at":"[^"]*"/, `"sent_at":"${new Date().toISOString()}"`);
}

/**
 * Begins with what the document before this one could not deliver.
 * @param hurry called before the document may end, to hand over what is not written yet
 */
export function keepReports(hurry: () => void): void {
  // Nothing is an empty text.
  keptReports.push(...(recall(memoryKey)?.split(separator).filter(Boolean) ?? []));
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') return;
    hurry();
    for (const envelope of keptReports) navigator.sendBeacon(tunnelPath, stampReport(envelope));
  });
}

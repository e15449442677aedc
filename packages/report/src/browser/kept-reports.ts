import { recall, remember } from './tab-memory.ts';

/**
 * The reports that have not reached the server. deliver-reports.ts posts them, once it is loaded. Until then, and
 * without a connection, they are kept here, and remembered for the next document of this tab. When the document becomes
 * hidden, which may be its end, all of them are sent as beacons. So a report may be sent twice: its event's id is the
 * same each time, and the server keeps one.
 */
export type Delivery = 'in-flight' | 'arrived';

/** An error in a loop must not grow the page. The first reports show the cause. */
export const reportsKept = 20;
/** In a page that lives for days, older errors are no longer on the screen. */
const arrivalsKept = 100;
const memoryKey = 'flight:reports';
/** Occurs in no envelope, because JSON escapes it. */
const separator = '\0';

/** Envelopes, the oldest first. */
export const keptReports: string[] = [];
/** Digests, the newest first. */
let arrived: readonly string[] = [];
const listeners = new Set<() => void>();

let address = '';
let remembersReports = false;

export function readAddress(): string {
  return address;
}

/** Written at once: what a document writes at its very end may not reach the next one. */
function rememberReports(): void {
  if (remembersReports) remember(memoryKey, keptReports.join(separator));
}

export function keepReport(envelope: string): void {
  if (keptReports.length === reportsKept) return;
  keptReports.push(envelope);
  rememberReports();
}

/** Removes the oldest report, after its final answer. */
export function dropReport(): void {
  keptReports.shift();
  rememberReports();
}

/** Whether the report under `digest` has arrived. */
export function readDelivery(digest: string): Delivery {
  return arrived.includes(digest) ? 'arrived' : 'in-flight';
}

export function subscribeToDeliveries(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function noteArrival(digest: string): void {
  arrived = [digest, ...arrived].slice(0, arrivalsKept);
  for (const listener of listeners) listener();
}

/** The receiver takes a difference from its own clock as a wrong clock here. So the time must be that of sending. */
export function stampReport(envelope: string): string {
  return envelope.replace(/"sent_at":"[^"]*"/, `"sent_at":"${new Date().toISOString()}"`);
}

/**
 * Begins with what the previous document could not deliver.
 * @param to the address that takes reports
 * @param remembers whether what could not be sent may be written into the tab's session storage
 * @param hurry called before the document may end, to write what is not written yet
 */
export function keepReports(to: string, remembers: boolean, hurry?: () => void): void {
  address = to;
  remembersReports = remembers;
  // When nothing was kept, the text is empty.
  keptReports.push(...(recall(memoryKey)?.split(separator).filter(Boolean) ?? []));
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') return;
    hurry?.();
    for (const envelope of keptReports) navigator.sendBeacon(to, stampReport(envelope));
  });
}

import { recall, remember } from '../navigation/session-memory.ts';
import { randomHex, readTraceId } from './browser-trace.ts';

/**
 * What only the browser knows, and tells whoever records this app's requests: which of them come from one tab, and which
 * prefetches a navigation has shown, for which no request goes out. The tab's id lives as long as the tab and is in no
 * cookie; a tab that was duplicated goes on under the same one.
 */
export const visitHeader = 'x-flight-visit';
export const usedHeader = 'x-flight-used';
/** Where a document that is closed tells what its requests did not. */
export const usagePath = '/_api/flight-usage';

const memoryKey = 'flight:visit';
/** 33 characters each: together less than a kilobyte of headers. */
const usedAtOnce = 20;

let visit: string | undefined;
let hasPrefetched = false;
const used: string[] = [];

function readVisit(): string {
  if (visit === undefined) {
    visit = recall(memoryKey) ?? randomHex(16);
    remember(memoryKey, visit);
  }
  return visit;
}

/** For every Flight request. What it says of prefetches is said once. */
export function createVisitHeaders(): Record<string, string> {
  const headers: Record<string, string> = { [visitHeader]: readVisit() };
  if (used.length > 0) headers[usedHeader] = used.splice(0, usedAtOnce).join();
  return headers;
}

/** The request of a prefetch is out: when the document closes, whatever was not shown by then was for nothing. */
export function notePrefetch(): void {
  hasPrefetched = true;
}

/** @param requestId the response's, null when a proxy took the header away */
export function noteShownPrefetch(requestId: string | null): void {
  if (requestId) used.push(requestId);
}

/** The trace's id, then the ids of prefetches that were shown, `,` between them. */
export function sendUsage(): void {
  if (hasPrefetched) navigator.sendBeacon(usagePath, [readTraceId(), ...used.splice(0, usedAtOnce)].join());
}

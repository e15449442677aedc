import { usedAtOnce, usedHeader, visitHeader } from '#src/http/flight-headers.ts';
import { usagePath } from '#src/http/addresses.ts';

import { recall, remember } from '../navigation/session-memory.ts';
import { randomHex, readTraceId } from './browser-trace.ts';

/**
 * What only the browser knows, and tells whoever records this app's requests: which of them come from one tab, and which
 * prefetches a navigation has shown, for which no request goes out. The tab's id lives as long as the tab and is in no
 * cookie; a tab that was duplicated goes on under the same one.
 */
const memoryKey = 'flight:visit';

let visit: string | undefined;
const used: string[] = [];

function readVisit(): string {
  if (visit === undefined) {
    visit = recall(memoryKey) ?? randomHex(16);
    remember(memoryKey, visit);
    // A document that asked for nothing has prefetched nothing.
    addEventListener('pagehide', sendUsage);
  }
  return visit;
}

/** For every Flight request. What it says of prefetches is said once. */
export function createVisitHeaders(): Record<string, string> {
  const headers: Record<string, string> = { [visitHeader]: readVisit() };
  if (used.length > 0) headers[usedHeader] = takeUsed().join();
  return headers;
}

function takeUsed(): string[] {
  return used.splice(0, usedAtOnce);
}

/** @param requestId the response's, null when a proxy took the header away */
export function noteShownPrefetch(requestId: string | null): void {
  if (requestId) used.push(requestId);
}

/** The document is closed, or put away where it may come back from: what it prefetched and did not show was for nothing. */
function sendUsage(): void {
  navigator.sendBeacon(usagePath, [readTraceId(), ...takeUsed()].join());
}

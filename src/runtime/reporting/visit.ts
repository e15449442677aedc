import { usedAtOnce, usedHeader, visitHeader } from '#src/server/http/flight-headers.ts';
import { usagePath } from '#src/server/http/addresses.ts';

import { randomHex } from '#report/browser/random-hex.ts';
import { recall, remember } from '#report/browser/tab-memory.ts';

import { readTraceId } from './browser-trace.ts';

/**
 * Tells the recorder what only the browser knows: which requests come from one tab (a visit), and which prefetches a
 * navigation has shown, since showing one sends no request. The tab's id lives as long as the tab, and is in no cookie.
 * A duplicated tab goes on under the same id.
 */
const memoryKey = 'flight:visit';

let visit: string | undefined;
const used: string[] = [];

function readTabId(): string {
  if (visit === undefined) {
    visit = recall(memoryKey) ?? randomHex(16);
    remember(memoryKey, visit);
    // A document that requested nothing has prefetched nothing.
    addEventListener('pagehide', sendUsage);
  }
  return visit;
}

/** Headers for every Flight request. Each shown prefetch is named once. */
export function createVisitHeaders(): Record<string, string> {
  const headers: Record<string, string> = { [visitHeader]: readTabId() };
  if (used.length > 0) headers[usedHeader] = takeUsed().join();
  return headers;
}

function takeUsed(): string[] {
  return used.splice(0, usedAtOnce);
}

/** @param requestId the response's; null when a proxy removed the header */
export function noteShownPrefetch(requestId: string | null): void {
  if (requestId) used.push(requestId);
}

/**
 * The document is closed, or put into the back/forward cache. What it prefetched and did not show was fetched in vain.
 */
function sendUsage(): void {
  navigator.sendBeacon(usagePath, [readTraceId(), ...takeUsed()].join());
}

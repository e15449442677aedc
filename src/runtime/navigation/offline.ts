/**
 * A navigation that found no connection. The router has given it up by then, so the page stays usable: its URL, its
 * state, its forms. Only where the visitor wanted to go is kept, and tried again when the connection is back. Server
 * actions never come here: a request that failed may have reached the server, and doing it twice may do harm.
 */
import { healthPath } from '#src/http/addresses.ts';

import { announceChange } from './state-changes.ts';

export type Connection =
  | { readonly status: 'fine' }
  /** `device`: the browser says it is offline. `server`: it says it is online, yet the server does not answer. */
  | { readonly status: 'waiting'; readonly missing: 'device' | 'server'; readonly retry: () => void };

const fine: Connection = { status: 'fine' };

/** An answer of any kind within this time means that there is a connection. */
const checkTimeoutMs = 2_000;
/** The browser reports its own connection coming back, but not a server's: that one is asked, ever less often. */
const checkDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

let connection: Connection = fine;
let checkTimer: ReturnType<typeof setTimeout> | undefined;

export function readConnection(): Connection {
  return connection;
}

/** Asked whatever the browser says of its connection: a server on the same machine needs none. */
export async function isServerReachable(): Promise<boolean> {
  try {
    await fetch(healthPath, {
      method: 'HEAD',
      cache: 'no-store',
      signal: AbortSignal.timeout(checkTimeoutMs),
    });
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
}

function set(next: Connection): void {
  connection = next;
  announceChange();
}

function planCheck(attempt: number): void {
  checkTimer = setTimeout(
    async () => {
      const waited = connection;
      const isBack = await isServerReachable();
      if (connection !== waited) return;
      if (isBack) retryNow();
      else planCheck(attempt + 1);
    },
    checkDelaysMs[Math.min(attempt, checkDelaysMs.length - 1)],
  );
}

/** Keeps `retry` for when the connection is back; a later navigation takes its place. */
export function waitForConnection(retry: () => void): void {
  stopWaiting();
  set({ status: 'waiting', missing: navigator.onLine ? 'server' : 'device', retry });
  window.addEventListener('online', retryNow);
  if (navigator.onLine) planCheck(0);
}

export function retryNow(): void {
  if (connection.status !== 'waiting') return;
  const { retry } = connection;
  stopWaiting();
  retry();
}

export function stopWaiting(): void {
  clearTimeout(checkTimer);
  window.removeEventListener('online', retryNow);
  if (connection.status === 'waiting') set(fine);
}

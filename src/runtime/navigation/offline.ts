/**
 * A navigation that found no connection. The router has already abandoned it, so the page stays usable: its URL, its
 * state, its forms. Only the visitor's destination is kept, and tried again when the connection is back. Server actions
 * never come here: a request that failed may have reached the server, and repeating it may do harm.
 */
import { healthPath } from '#src/server/http/addresses.ts';
import { appHomePath } from '#src/server/http/waku-addresses.ts';

import { announceChange } from './state-changes.ts';

export type Connection =
  | { readonly status: 'fine' }
  /**
   * `device`: the browser says that it is offline. `server`: the browser says that it is online, but the server does
   * not answer.
   */
  | { readonly status: 'waiting'; readonly missing: 'device' | 'server'; readonly retry: () => void };

const fine: Connection = { status: 'fine' };

/** Any answer within this time means that there is a connection. */
const checkTimeoutMs = 2_000;
/**
 * The browser reports when its own connection comes back, but not when a server does. So the server is asked, less and
 * less often.
 */
const checkDelaysMs = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const;

let connection: Connection = fine;
let checkTimer: ReturnType<typeof setTimeout> | undefined;

export function readConnection(): Connection {
  return connection;
}

/** Asks the server whatever the browser says about its connection: a server on the same machine needs none. */
export async function isServerReachable(): Promise<boolean> {
  try {
    await fetch(import.meta.env.FLIGHT_INSIDE === 'alone' ? appHomePath : healthPath, {
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

/** Keeps `retry` for the time when the connection is back. A later navigation replaces it. */
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

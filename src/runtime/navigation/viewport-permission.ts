/**
 * Whether links may be prefetched only because they are on the screen. Nobody asked for those pages yet. So they are
 * not fetched where data is expensive (Save-Data, 2G), nor after the server answered 429. A page at which a person
 * points is still fetched: that is one request, wanted now, and a click would send it anyway.
 */
/** After a 429 without a Retry-After. A server that limits by the minute has room again after half a minute. */
const defaultPauseMs = 30_000;
/**
 * A longer Retry-After is cut to the life of a static entry. After that time no page that was fetched before is left.
 */
const longestPauseMs = 300_000;

let pausedUntil = 0;
let resumeTimer: ReturnType<typeof setTimeout> | undefined;

/** Not every browser has the Network Information API. Without it the connection counts as good. */
function isConnectionPoor(): boolean {
  const connection: unknown = 'connection' in navigator ? navigator.connection : undefined;
  if (typeof connection !== 'object' || connection === null) return false;
  if ('saveData' in connection && connection.saveData === true) return true;
  return 'effectiveType' in connection && /(?:^|-)2g$/.test(String(connection.effectiveType));
}

/** Milliseconds, from either form of the header: seconds or a date. */
export function parseRetryAfter(header: string | null): number {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? defaultPauseMs : Math.min(Math.max(ms, 0), longestPauseMs);
}

/** Stops viewport prefetching for as long as a 429 asks. `onResume` runs when the pause is over. */
export function pauseViewport(retryAfter: string | null, onResume: () => void): void {
  const ms = parseRetryAfter(retryAfter);
  pausedUntil = Math.max(pausedUntil, Date.now() + ms);
  clearTimeout(resumeTimer);
  resumeTimer = setTimeout(onResume, pausedUntil - Date.now());
}

export function mayPrefetchViewport(): boolean {
  return Date.now() >= pausedUntil && !isConnectionPoor();
}

/** Milliseconds since the epoch; 0 when there was no 429. */
export function viewportPausedUntil(): number {
  return pausedUntil;
}

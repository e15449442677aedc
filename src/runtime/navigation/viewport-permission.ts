/**
 * Whether links may be prefetched merely because they are on the screen. Nobody asked for those pages yet, so they
 * cost nothing where data is dear (Save-Data, 2G) and stop when the server answers 429. Pages a person points at are
 * still fetched: that is one request, wanted now, and a click would send it anyway.
 */
/** After a 429 without a Retry-After: a server that limits by the minute has room again after half of one. */
const defaultPauseMs = 30_000;
/** A longer Retry-After is cut to the life of a static entry: after that nothing fetched before is left. */
const longestPauseMs = 300_000;

let pausedUntil = 0;
let resumeTimer: ReturnType<typeof setTimeout> | undefined;

/** The Network Information API is not in every browser; without it the connection counts as good. */
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

/** Stops viewport prefetching for as long as a 429 asks; `onResume` runs when the pause is over. */
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

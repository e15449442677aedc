import { formatDuration } from '#flight';

/**
 * Times for people. Absolute times are in UTC, as in the log, so that the server and every browser write the same. Beside them
 * stands the time where the reader is, which the browser alone knows (browser-time.tsx).
 */

/** What a date can be. A time that somebody sent may be more. */
const latest = 8.64e15;

function toDate(time: number): Date {
  return new Date(Math.max(-latest, Math.min(latest, time)));
}

/** `2026-11-21 00:08:09 UTC` */
export function formatUtc(time: number): string {
  return `${toDate(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * `01:08:09 local`, where this code runs, and `11-22 01:08:09 local` where it is another day there. Undefined where the clocks show
 * UTC.
 */
export function formatLocal(time: number): string | undefined {
  const minutes = toDate(time).getTimezoneOffset();
  if (minutes === 0) return undefined;
  const local = toDate(time - minutes * 60_000).toISOString();
  const isSameDay = local.slice(0, 10) === formatUtc(time).slice(0, 10);
  return `${isSameDay ? '' : `${local.slice(5, 10)} `}${local.slice(11, 19)} local`;
}

/** `00:08:09.123`, in UTC */
export function formatClock(time: number): string {
  return toDate(time).toISOString().slice(11, 23);
}

/** `3 min ago`. A time in the future, from a wrong clock, is `just now` too. */
export function formatAge(time: number, now: number): string {
  const age = now - time;
  return age < 5_000 ? 'just now' : `${formatDuration(Math.floor(age / 1_000) * 1_000)} ago`;
}

/** `−1.2 s`, `+30 ms`, relative to a moment. */
export function formatOffset(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${formatDuration(Math.abs(ms))}`;
}

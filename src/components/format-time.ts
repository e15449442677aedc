/** Times for people. Absolute times are in UTC, as in the log, so that the server and every browser write the same. */
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `2026-11-21 00:08:09 UTC` */
export function formatUtc(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `00:08:09.123`, in UTC */
export function formatClock(time: number): string {
  return new Date(time).toISOString().slice(11, 23);
}

/** `450 ms`, `4.2 s`, `3 min`, `5 h`, `12 d`: one unit, rounded down from one minute on. */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < 10 * second) return `${(ms / second).toFixed(1)} s`;
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

/** `3 min ago`. A time in the future, from a wrong clock, is `just now` too. */
export function formatAge(time: number, now: number): string {
  const age = now - time;
  return age < 5 * second ? 'just now' : `${formatDuration(age)} ago`;
}

/** `−1.2 s`, `+30 ms`, relative to a moment. */
export function formatOffset(ms: number): string {
  return `${ms < 0 ? '−' : '+'}${formatDuration(Math.abs(ms))}`;
}

/**
 * How numbers are written for people: one way everywhere, in findings, in a terminal and on pages, so that two of them can be
 * compared. Always English, so that server and browser write the same.
 */

/** Made once, when the first number is written: making one takes 20 ms, and `toLocaleString` looks for one at every call. */
let format: Intl.NumberFormat | undefined;

/** `7`, `12,345`: a number of things, or a position in bytes. */
export function formatCount(count: number): string {
  format ??= new Intl.NumberFormat('en');
  return format.format(count);
}

/** At most so many digits after the point, none that says nothing: `1.5`, `14`. */
function round(number: number, digits: number): string {
  return String(Number(number.toFixed(digits)));
}

/** Three digits, or as many as stand before the point. */
function formatAmount(amount: number): string {
  return round(amount, amount < 9.95 ? 2 : amount < 99.95 ? 1 : 0);
}

/** `512 B`, `4.12 kB`, `31.2 kB`, `268 MB`: decimal units, as browsers' network panels have them. */
export function formatBytes(bytes: number): string {
  if (bytes < 999.5) return `${Math.round(bytes)} B`;
  if (bytes < 999_500) return `${formatAmount(bytes / 1_000)} kB`;
  return bytes < 999_500_000 ? `${formatAmount(bytes / 1_000_000)} MB` : `${formatAmount(bytes / 1_000_000_000)} GB`;
}

const mebibyte = 1024 * 1024;

/** `256 MiB`, `2 GiB`: a limit, in the binary units in which it is set. What is measured against it is a share of it. */
export function formatLimit(bytes: number): string {
  const mebibytes = bytes / mebibyte;
  return mebibytes < 1024 ? `${round(mebibytes, 1)} MiB` : `${round(mebibytes / 1024, 1)} GiB`;
}

/** `+2.1 kB`, `−300 B`, `±0 B`: how much more or less. */
export function formatBytesChange(bytes: number): string {
  const sign = bytes === 0 ? '±' : bytes < 0 ? '−' : '+';
  return `${sign}${formatBytes(Math.abs(bytes))}`;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `0.4 ms`, `450 ms`, `4.24 s`, `3 min`, `5 h`, `12 d`: one unit, rounded down from one minute on. */
export function formatDuration(ms: number): string {
  if (ms < second - 0.5) return `${round(ms, ms < 9.95 ? 1 : 0)} ms`;
  if (ms < minute - 50) return `${round(ms / second, ms < 9_995 ? 2 : 1)} s`;
  if (ms < minute) return '1 min';
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

/** `42 %`, `3.1 %`, `< 0.1 %`. */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0 %';
  const percent = (part / whole) * 100;
  return percent < 0.1 ? '< 0.1 %' : `${round(percent, percent < 9.95 ? 1 : 0)} %`;
}

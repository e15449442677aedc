/** Made once: one is costly to make, and `toLocaleString` looks for one at every call. */
const format = new Intl.NumberFormat('en');

/** `7`, `12,345`: a number of things, or a position in bytes. English everywhere, so that server and browser agree. */
export function formatCount(count: number): string {
  return format.format(count);
}

/** Made once: making one is slow, and `toLocaleString` looks for one at every call. */
const format = new Intl.NumberFormat('en');

/**
 * `7`, `12,345`: a number of things, or a position in bytes. Always English, so that server and browser write the same.
 */
export function formatCount(count: number): string {
  return format.format(count);
}

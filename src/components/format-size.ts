/** `512 B`, `48 kB`, `1.2 MB`: decimal units, as disk makers count, not binary ones as `ls -h` does. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

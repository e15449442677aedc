import { readCaching, type Caching } from '#flight';

/** What the column holds: the writer made it, of what a stranger's answer or a sender said. */
export function parseCaching(json: string | null | undefined): Caching | undefined {
  if (json === null || json === undefined) return undefined;
  const parsed: unknown = JSON.parse(json);
  return readCaching(parsed);
}

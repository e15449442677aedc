import { isRecord } from '#boundary';

/**
 * The file that says which source a hashed id of a build stands for. The build writes it (vite.ts), and the pages of flights
 * read it (for-operator/sources.ts). Both use this module, so that the name and the format stand once.
 *
 * It stands beside the server's bundle and not among the files that are served: an app's file names are not public.
 */
export const referenceSourcesFile = 'reference-sources.json';

/** @param sources from hashed id to source file */
export function formatSources(sources: ReadonlyMap<string, string>): string {
  return `${JSON.stringify(Object.fromEntries(sources), null, 2)}\n`;
}

/** @throws when `text` is not what `formatSources` writes */
export function parseSources(text: string): ReadonlyMap<string, string> {
  const parsed: unknown = JSON.parse(text);
  if (!isRecord(parsed)) throw new Error(`${referenceSourcesFile} is not an object`);
  const sources = new Map<string, string>();
  for (const [id, source] of Object.entries(parsed)) {
    if (typeof source !== 'string') throw new Error(`${referenceSourcesFile} names no file for ${id}`);
    sources.set(id, source);
  }
  return sources;
}

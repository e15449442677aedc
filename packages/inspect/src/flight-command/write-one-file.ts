import { writeFile } from 'node:fs/promises';

import { fillOneFile, type OneFile, type SavedFlight } from '#flight';

import type { InputFlight } from './read-input.ts';

/** Gives the HTML file that flights are saved in, before anything is in it. The build has it. @throws where there is no build */
export type ReadTemplate = () => Promise<string>;

/** @param from the file or the address that it came from */
export function toSavedFlight(
  { title, bytes, chunks, pageSource, sizes, serverTime }: InputFlight,
  from: string,
): SavedFlight {
  return {
    title,
    facts: [{ name: 'From', value: from }],
    direction: 'response',
    bytes,
    chunks,
    sizes: sizes ?? { response: undefined, transferred: undefined },
    pageSource,
    response: undefined,
    sources: [],
    serverTime,
  };
}

/** Writes flights with their viewer into one file. @returns how many bytes it has @throws where it cannot be written */
export async function writeOneFile(
  target: string,
  file: Omit<OneFile, 'savedAt'>,
  readTemplate: ReadTemplate,
): Promise<number> {
  const html = await fillOneFile(await readTemplate(), { ...file, savedAt: new Date().toISOString() });
  await writeFile(target, html);
  return Buffer.byteLength(html);
}

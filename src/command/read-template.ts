import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { templateFile, unpackTemplate } from '#src/flights/one-file-template/template-file.ts';

import { findDist } from './dist-folder.ts';

/** The viewer that flights are saved with. @throws where there is no build */
export async function readTemplate(): Promise<string> {
  return unpackTemplate(await readFile(path.join(findDist(), 'server', templateFile)));
}

import 'server-only';

import { existsSync } from 'node:fs';
import path from 'node:path';

import { referenceSourcesFile } from '../recorder/reference-sources.ts';

/**
 * The server's folder of the build, wherever `dist` was put. This module is bundled into it, and into the commands beside it.
 * @throws where there is no build
 */
export function findServerFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = [folder, path.join(folder, 'server')].find((each) =>
      existsSync(path.join(each, referenceSourcesFile)),
    );
    if (found !== undefined) return found;
    if (path.dirname(folder) === folder) throw new Error('there is no build here: run npm run build');
  }
}

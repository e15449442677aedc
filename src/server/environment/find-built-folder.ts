import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * Where the build is, wherever it was put: modules that ask are bundled into it, at several depths, and run from the sources in tests.
 * @param inner where the folder is in its parent: `dist`, or `server`
 * @param sign a file that stands in that folder alone
 * @throws where there is no build
 */
export function findBuiltFolder(inner: string, sign: string, from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = [folder, path.join(folder, inner)].find((each) => existsSync(path.join(each, sign)));
    if (found !== undefined) return found;
    if (path.dirname(folder) === folder) throw new Error('there is no build here: npm start makes one');
  }
}

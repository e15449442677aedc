import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder with the build, from wherever in it this module was put; also from the sources, for tests. */
export function findDist(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const found = [folder, path.join(folder, 'dist')].find((each) => existsSync(path.join(each, 'serve-node.js')));
    if (found !== undefined) return found;
    if (path.dirname(folder) === folder) throw new Error('there is no build here');
  }
}

import 'server-only';

import path from 'node:path';

/** The server's folder of the build, in which this module is bundled, wherever `dist` was put. */
export function findServerFolder(): string {
  let folder = import.meta.dirname;
  while (path.basename(folder) !== 'server' && path.dirname(folder) !== folder) folder = path.dirname(folder);
  return folder;
}

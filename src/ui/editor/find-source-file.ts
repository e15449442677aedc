import 'server-only';

import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** More than any path of a source. */
const longestName = 1_024;

function findInside(folder: string, file: string): string | undefined {
  try {
    // What a link in the file system leads to must be inside, too.
    const [whole, root] = [realpathSync(file), realpathSync(folder)];
    return whole.startsWith(root + path.sep) && statSync(whole).isFile() ? whole : undefined;
  } catch {
    // There is no such file, or its name cannot be one.
    return undefined;
  }
}

/**
 * The whole path of a file as pages name it: from the project's folder, or from the one around another folder of sources. A name may
 * come from a report, so it leads to nothing but a file that is inside one of `folders`.
 * @param folders whole paths, the project's first
 */
export function findSourceFile(name: string, folders: readonly string[]): string | undefined {
  const [project, ...others] = folders;
  if (project === undefined || name.length > longestName) return undefined;
  for (const base of [project, ...others.map((folder) => path.dirname(folder))]) {
    for (const folder of folders) {
      const found = findInside(folder, path.resolve(base, name));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

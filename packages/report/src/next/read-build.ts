import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where `next build` leaves the id that every answer of that build then says. */
const file = path.join('.next', 'BUILD_ID');
const longest = 200;

/**
 * The id of the build in `folder`; undefined where there is none.
 * @param startedAt a file that is newer is of a build that this process does not serve. Milliseconds since 1970
 */
export function readBuildId(folder: string, startedAt: number): string | undefined {
  try {
    const name = path.join(folder, file);
    if (statSync(name).mtimeMs > startedAt) return undefined;
    return readFileSync(name, 'utf8').trim().slice(0, longest) || undefined;
  } catch {
    // Development has none, and a server can have its build elsewhere.
    return undefined;
  }
}

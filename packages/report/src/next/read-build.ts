import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where `next build` leaves the id that every answer of that build then says. */
const file = path.join('.next', 'BUILD_ID');
/** Next.js 16 writes a `deploymentId` here. Then its answers say that one, and the other file has the same text for every build. */
const routes = path.join('.next', 'routes-manifest.json');
const longest = 200;

function readManifest(folder: string): unknown {
  try {
    return JSON.parse(readFileSync(path.join(folder, routes), 'utf8'));
  } catch {
    // Of another version, or somebody wrote into it: the id of the build stays.
    return undefined;
  }
}

function readDeployment(folder: string): string | undefined {
  const manifest = readManifest(folder);
  const isObject = typeof manifest === 'object' && manifest !== null;
  const id = isObject && 'deploymentId' in manifest ? manifest.deploymentId : undefined;
  // The server of that build goes by its environment first.
  return typeof id === 'string' && id !== '' ? process.env.NEXT_DEPLOYMENT_ID || id : undefined;
}

/**
 * The id of the build in `folder`; undefined where there is none.
 * @param startedAt a file that is newer is of a build that this process does not serve. Milliseconds since 1970
 */
export function readBuildId(folder: string, startedAt: number): string | undefined {
  try {
    const name = path.join(folder, file);
    if (statSync(name).mtimeMs > startedAt) return undefined;
    const id = readDeployment(folder) ?? readFileSync(name, 'utf8').trim();
    return id.slice(0, longest) || undefined;
  } catch {
    // Development has none, and a server can have its build elsewhere.
    return undefined;
  }
}

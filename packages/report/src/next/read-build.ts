import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where `next build` leaves the id that every answer of that build then says. */
export const buildIdFile = path.join('.next', 'BUILD_ID');
/** Next.js 16 writes a `deploymentId` here. Then its answers say that one, and the other file has the same text for every build. */
const routes = path.join('.next', 'routes-manifest.json');
const longest = 200;

function readOfManifest(folder: string, name: 'deploymentId' | 'basePath'): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(folder, routes), 'utf8'));
    const value: unknown = typeof manifest === 'object' && manifest !== null && Reflect.get(manifest, name);
    return typeof value === 'string' ? value : '';
  } catch {
    // Development has none, and another version may write another one.
    return '';
  }
}

/** What all addresses of the app in `folder` begin with: `/shop`, mostly nothing. */
export function readBasePath(folder: string): string {
  return readOfManifest(folder, 'basePath').slice(0, longest);
}

function readDeployment(folder: string): string | undefined {
  const id = readOfManifest(folder, 'deploymentId');
  // The server of that build goes by its environment first.
  return id === '' ? undefined : process.env.NEXT_DEPLOYMENT_ID || id;
}

/**
 * The id of the build in `folder`; undefined where there is none.
 * @param startedAt a file that is newer is of a build that this process does not serve. Milliseconds since 1970
 */
export function readBuildId(folder: string, startedAt: number): string | undefined {
  try {
    const name = path.join(folder, buildIdFile);
    // When it was put there: a copy may keep the time at which it was written.
    if (statSync(name).ctimeMs > startedAt) return undefined;
    const id = readDeployment(folder) ?? readFileSync(name, 'utf8').trim();
    return id.slice(0, longest) || undefined;
  } catch {
    // Development has none, and a server can have its build elsewhere.
    return undefined;
  }
}

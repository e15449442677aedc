import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where `next build` leaves the id that every answer of that build then says. */
const buildIdName = 'BUILD_ID';
/** Next.js 16 writes a `deploymentId` here. Then its answers say that one, and the other file has the same text for every build. */
const routes = 'routes-manifest.json';
const longest = 200;

/** Where `next build` writes, unless the app's `distDir` says otherwise. */
export function usualBuild(folder: string): string {
  return path.join(folder, '.next');
}

export function buildIdFile(built: string): string {
  return path.join(built, buildIdName);
}

/** Next loads the app's instrumentation from its build before anything else of it. */
const instrumentation = /^(.+)[\\/]server[\\/]instrumentation\.js$/;

/**
 * The folder of the build that this process of Next.js serves.
 * @param loaded the files that it has loaded
 */
export function findBuild(folder: string, loaded: readonly string[]): string {
  for (const file of loaded) {
    const built = instrumentation.exec(file)?.[1];
    if (built !== undefined && statSync(buildIdFile(built), { throwIfNoEntry: false })) return built;
  }
  return usualBuild(folder);
}

function readOfManifest(built: string, name: 'deploymentId' | 'basePath'): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path.join(built, routes), 'utf8'));
    const value: unknown = typeof manifest === 'object' && manifest !== null && Reflect.get(manifest, name);
    return typeof value === 'string' ? value : '';
  } catch {
    // Development has none, and another version may write another one.
    return '';
  }
}

/** What all addresses of the app begin with: `/shop`, mostly nothing. */
export function readBasePath(built: string): string {
  return readOfManifest(built, 'basePath').slice(0, longest);
}

function readDeployment(built: string): string | undefined {
  const id = readOfManifest(built, 'deploymentId');
  // The server of that build goes by its environment first.
  return id === '' ? undefined : process.env.NEXT_DEPLOYMENT_ID || id;
}

/**
 * The id of the build; undefined where there is none.
 * @param startedAt a file that is newer is of a build that this process does not serve. Milliseconds since 1970
 */
export function readBuildId(built: string, startedAt: number): string | undefined {
  try {
    const name = buildIdFile(built);
    // When it was put there: a copy may keep the time at which it was written.
    if (statSync(name).ctimeMs > startedAt) return undefined;
    const id = readDeployment(built) ?? readFileSync(name, 'utf8').trim();
    return id.slice(0, longest) || undefined;
  } catch {
    // Development has none, and a server can have its build elsewhere.
    return undefined;
  }
}

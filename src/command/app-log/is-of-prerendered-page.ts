import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#boundary';

/**
 * Next.js 15 and 16 print an error of a prerendered page twice: where the page is rendered anew, and where that has failed. The same text
 * twice from a page that is rendered for each request are two errors. So it matters of which page a frame is: with webpack its file says
 * so, and with Turbopack the list of chunks in each page's file.
 */
type Build = {
  readonly mtimeMs: number;
  /** By file below `.next`: whether all pages that load it are prerendered. */
  readonly isPrerendered: ReadonlyMap<string, boolean>;
};

/** Of a list with thousands of prerendered paths. */
const largestManifest = 8 * 1024 * 1024;
/** A page's file is a list of chunks with Turbopack, and all of the page's code with webpack. */
const largestList = 64 * 1024;
const mostPages = 2_000;

const builds = new Map<string, Build>();

function readText(file: string, largest: number): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > largest) return '';
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A build replaces it at this moment.
    return '';
  }
}

function readManifest(file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readText(file, largestManifest) || '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** A page, and what the manifest says of it, or of one of its paths. */
type Entry = readonly [page: unknown, route: unknown];

/**
 * With `cacheComponents` often only a page's shell is prerendered, and the rest is rendered for each request. Next.js 15 does not say of
 * which.
 */
function isResumed(route: unknown): boolean {
  return isRecord(route) && route['experimentalPPR'] === true && route['compute'] !== 'static';
}

function listPrerendered(next: string): ReadonlySet<unknown> {
  const { routes, dynamicRoutes } = readManifest(path.join(next, 'prerender-manifest.json'));
  const ofPaths = Object.values(isRecord(routes) ? routes : {}).map((route): Entry => [
    isRecord(route) ? route['srcRoute'] : undefined,
    route,
  ]);
  const all: readonly Entry[] = [...ofPaths, ...Object.entries(isRecord(dynamicRoutes) ? dynamicRoutes : {})];
  const resumed = new Set(all.filter(([, route]) => isResumed(route)).map(([page]) => page));
  return new Set(all.map(([page]) => page).filter((page) => !resumed.has(page)));
}

function readBuild(next: string, mtimeMs: number): Build {
  const prerendered = listPrerendered(next);
  const isPrerendered = new Map<string, boolean>();
  const pages = Object.entries(readManifest(path.join(next, 'app-path-routes-manifest.json')));
  for (const [page, route] of pages.slice(0, mostPages)) {
    if (!page.endsWith('/page')) continue;
    const file = `server/app${page}.js`;
    const chunks = readText(path.join(next, file), largestList).matchAll(/"(server\/chunks\/[^"]{1,500}\.js)"/g);
    for (const one of [file, ...Array.from(chunks, ([, chunk = '']) => chunk)]) {
      isPrerendered.set(one, prerendered.has(route) && isPrerendered.get(one) !== false);
    }
  }
  return { mtimeMs, isPrerendered };
}

const builtFile = /\.next\/(server\/.{1,500}?\.js):\d/;

/** @param root the app's folder */
export function isOfPrerenderedPage(root: string, stack: string): boolean {
  const next = path.join(root, '.next');
  const found = statSync(path.join(next, 'prerender-manifest.json'), { throwIfNoEntry: false });
  if (!found) return false;
  const known = builds.get(root);
  const build = known?.mtimeMs === found.mtimeMs ? known : readBuild(next, found.mtimeMs);
  builds.set(root, build);
  return stack.split('\n').some((line) => build.isPrerendered.get(builtFile.exec(line)?.[1] ?? '') === true);
}

import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

import { isRecord } from '#boundary';

/**
 * Which file each client module of a build of Next.js is: a payload names it by a number (`66928`). `next build` writes that down for
 * each page, as a script beside the server's own (`.next/server/app/**\/page_client-reference-manifest.js`), which Next.js 14 to 16 do
 * alike. It is read as text and not run.
 */
const manifests = path.join('.next', 'server', 'app');
const isManifest = /_client-reference-manifest\.js$/;

/** An app of a thousand pages has as many, of some 30 kB each. More would be no pages. */
const mostManifests = 5_000;
const largestManifest = 16 * 1024 * 1024;
const mostModules = 20_000;
const longestName = 300;

/** As people name it: from the app's folder, or from the package's. */
function nameFile(key: string, folder: string): string {
  const [whole = ''] = key.split(/ <|#/, 1);
  const file = whole.replace(/^\[project\]\//, '').replaceAll('\\', '/');
  const inPackage = file.lastIndexOf('node_modules/');
  if (inPackage >= 0) return file.slice(inPackage + 'node_modules/'.length);
  return path.isAbsolute(file) ? path.relative(folder, file).replaceAll('\\', '/') : file;
}

/** The object behind `globalThis.__RSC_MANIFEST["/page"] =`; as a text that holds it, in Next.js 13. */
function parseManifest(script: string): unknown {
  const [, value] = /__RSC_MANIFEST\[(?:"[^"]*"|'[^']*')\]\s*=\s*([{"][\s\S]*[}"])\s*;?\s*$/.exec(script) ?? [];
  if (value === undefined) return undefined;
  const parsed: unknown = JSON.parse(value);
  return typeof parsed === 'string' ? JSON.parse(parsed) : parsed;
}

function readModules(script: string): [id: string, key: string][] {
  const manifest = parseManifest(script);
  const modules = isRecord(manifest) ? manifest['clientModules'] : undefined;
  if (!isRecord(modules)) return [];
  return Object.entries(modules).flatMap(([key, module]): [string, string][] => {
    const id = isRecord(module) ? module['id'] : undefined;
    return typeof id === 'string' || typeof id === 'number' ? [[String(id), key]] : [];
  });
}

async function readManifest(file: string): Promise<[id: string, key: string][]> {
  try {
    if ((await stat(file)).size > largestManifest) return [];
    return readModules(await readFile(file, 'utf8'));
  } catch {
    // Of another version, or built anew meanwhile: its modules are called by their ids.
    return [];
  }
}

async function listManifests(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names
      .filter((name) => isManifest.test(name))
      .toSorted()
      .slice(0, mostManifests);
  } catch {
    // No build, or one without the app router.
    return [];
  }
}

/**
 * Never throws.
 * @param folder the app's
 * @returns nothing where there is no such build
 */
export async function readNextModules(folder: string): Promise<[id: string, file: string][]> {
  const files = new Map<string, string>();
  const place = path.join(folder, manifests);
  for (const name of await listManifests(place)) {
    for (const [id, key] of await readManifest(path.join(place, name))) {
      if (files.size >= mostModules) return [...files];
      if (!files.has(id)) files.set(id, nameFile(key, folder).slice(0, longestName));
    }
  }
  return [...files];
}

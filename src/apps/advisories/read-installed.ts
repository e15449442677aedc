import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#boundary';

import { reactServer } from './advisory-list.ts';

/** What an app runs that reads React's format. */
export type InstalledPackage = {
  readonly name: string;
  readonly version: string;
  /** The package that brings it along as a copy of its own; else empty. */
  readonly within: string;
};

const frameworks = ['next', 'waku', 'react-router', '@vitejs/plugin-rsc'];
/** Where @vitejs/plugin-rsc has its copy, which it uses where the app has none. */
const vendored = 'dist/vendor/react-server-dom/package.json';
const longestVersion = 60;

type Found = { readonly folder: string; readonly version: string };

function readVersion(file: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const version = isRecord(manifest) ? manifest['version'] : undefined;
    return typeof version === 'string' ? version.slice(0, longestVersion) : undefined;
  } catch {
    return undefined;
  }
}

/** As Node looks for it: in each folder from here upward. */
function findPackage(name: string, from: string): Found | undefined {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const found = path.join(folder, 'node_modules', name);
    const version = readVersion(path.join(found, 'package.json'));
    // Package managers link to where a package's own dependencies are.
    if (version !== undefined) return { folder: realpathSync(found), version };
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** @param folder the app's */
export function readInstalled(folder: string): InstalledPackage[] {
  const places = [path.resolve(folder)];
  const installed: InstalledPackage[] = [];
  const find = (name: string) => {
    for (const place of places) {
      const found = findPackage(name, place);
      if (!found) continue;
      installed.push({ name, version: found.version, within: '' });
      return found;
    }
    return undefined;
  };
  let plugin: Found | undefined;
  for (const name of frameworks) {
    const found = find(name);
    if (found) places.push(found.folder);
    if (name === '@vitejs/plugin-rsc') plugin = found;
  }
  const servers = reactServer.map(find);
  const copy = plugin && !servers[0] ? readVersion(path.join(plugin.folder, vendored)) : undefined;
  if (plugin && copy !== undefined) {
    installed.push({ name: 'react-server-dom-webpack', version: copy, within: `@vitejs/plugin-rsc ${plugin.version}` });
  }
  return installed;
}

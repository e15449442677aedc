import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { formatLicenses } from '../src/server/adapter/bundled-licenses.ts';
import { startServer } from './testing/start-server.ts';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');
const text = readFileSync(path.join(dist, 'licenses.txt'), 'utf8');

/** The text under a package's title. */
function sectionOf(title: string): string {
  const [, rest = ''] = text.split(`\n${title}\n${'='.repeat(title.length)}\n\n`);
  return rest.split(/\n\n\n\S+ \d+\.\d+\.\d[^\n]*\n=+\n/)[0]?.trim() ?? '';
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** `name version` of the package that a file belongs to, read from the file's path. */
function nameOf(file: string): string {
  const at = file.lastIndexOf('/node_modules/') + '/node_modules/'.length;
  const words = file.slice(at).split('/');
  const name = words.slice(0, words[0]?.startsWith('@') === true ? 2 : 1).join('/');
  return `${name} ${String(readJson(path.join(file.slice(0, at), name, 'package.json'))['version'])}`;
}

/** The packages in a folder's bundles. When a bundle was moved, `movedFrom` is the folder that its map refers to. */
function listBuiltFrom(folder: string, movedFrom: string): string[] {
  const found = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js.map')) continue;
    const { sources } = readJson(path.join(folder, name));
    for (const source of Array.isArray(sources) ? sources.map(String) : []) {
      if (!source.includes('node_modules/')) continue;
      found.add(nameOf(path.resolve(movedFrom, path.dirname(name), source)));
    }
  }
  return [...found];
}

test.each([
  ['the server', 'server', 'server', ['react', 'hono', 'waku', '@sentry/node', 'kysely']],
  ['the browser', 'maps', 'public', ['react-dom', '@sentry/react', 'waku']],
])('each package in what %s runs is listed, with its licence', (_, maps, built, some) => {
  const packages = listBuiltFrom(path.join(dist, maps), path.join(dist, built));
  for (const name of some) expect(packages).toContainEqual(expect.stringMatching(new RegExp(`^${name} \\d`)));
  expect(packages.filter((title) => !/licen[cs]e|permission to use/i.test(sectionOf(title)))).toEqual([]);
});

test('so is each in the command line, each that a style sheet names, and this project', () => {
  const { version } = readJson(path.join(root, 'node_modules/kysely/package.json'));
  const parts = readdirSync(path.join(dist, 'command')).map((name) =>
    readFileSync(path.join(dist, 'command', name), 'utf8'),
  );
  expect(parts.join('')).toMatch(/kysely/i);
  expect(sectionOf(`kysely ${String(version)}`)).toContain('Permission is hereby granted');
  const sheets = readdirSync(path.join(dist, 'public/assets')).filter((name) => name.endsWith('.css'));
  const css = sheets.map((name) => readFileSync(path.join(dist, 'public/assets', name), 'utf8')).join('\n');
  const named = Array.from(css.matchAll(/\/\*! (\S+) v(\S+)/g), (match) => `${match[1]} ${match[2]}`);
  expect(named).toEqual([expect.stringMatching(/^tailwindcss /)]);
  expect(named.filter((title) => sectionOf(title) === '')).toEqual([]);
  expect(sectionOf(`flight-recorder ${String(readJson(path.join(root, 'package.json'))['version'])}`)).toBe(
    readFileSync(path.join(root, 'LICENSE'), 'utf8').trim(),
  );
});

test('a text that several packages bring is there once, under the first of them', () => {
  const named = Array.from(
    text.matchAll(/^Its licence is that of (\S+ \S+), word for word\.$/gm),
    (match) => match[1] ?? '',
  );
  expect(named.length).toBeGreaterThan(5);
  for (const title of new Set(named)) expect(sectionOf(title).length).toBeGreaterThan(500);
  expect(text.match(/^ +Apache License$/gm)?.length ?? 0).toBeLessThan(5);
});

test('nobody can fetch it', async () => {
  expect(existsSync(path.join(dist, 'public/licenses.txt'))).toBe(false);
  await using server = await startServer();
  for (const target of ['/licenses.txt', '/../licenses.txt', '/assets/..%2f..%2flicenses.txt', '/dist/licenses.txt']) {
    const response = await fetch(`${server.origin}${target}`);
    expect([response.ok, (await response.text()).includes('kysely')], target).toEqual([false, false]);
  }
});

test('a package that says nowhere under which licence it is ends the build', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-licenses-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (json: object) => writeFileSync(path.join(folder, 'package.json'), JSON.stringify(json));
  write({ name: 'a', version: '1.0.0' });
  expect(() => formatLicenses([], folder)).toThrow('a says nowhere under which licence it is');
  write({ name: 'a', version: '1.0.0', license: 'ISC' });
  expect(formatLicenses([], folder)).toContain(
    'a 1.0.0\n=======\n\nIt brings no text of its licence; its package.json says: ISC\n',
  );
});

test('the browser gets nothing of what the server alone needs', () => {
  const packages = listBuiltFrom(path.join(dist, 'maps'), path.join(dist, 'public')).map(
    (title) => title.split(' ')[0],
  );
  for (const name of ['valibot', 'kysely', 'hono', '@sentry/node']) expect(packages).not.toContain(name);
});

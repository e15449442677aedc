import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { decodeFlight, readModules } from '#flight';
import { expect, test } from './testing/test.ts';

const root = path.join(import.meta.dirname, '..');
const manifest = path.join(root, 'dist/server/reference-sources.json');

test('every client module of the built pages has a source, which is there', () => {
  const sources = new Map(Object.entries<unknown>(JSON.parse(readFileSync(manifest, 'utf8'))));
  const payloads = globSync('dist/public/RSC/**/*.txt', { cwd: root });
  const modules = payloads.flatMap((file) => readModules(decodeFlight(readFileSync(path.join(root, file)))));
  expect(modules.length).toBeGreaterThan(0);
  for (const { module } of modules) {
    const source = String(sources.get(module));
    expect([source, path.join('node_modules', source)].some((file) => existsSync(path.join(root, file)))).toBe(true);
  }
});

test('and is not among the files that are served', async ({ request }) => {
  expect(globSync('dist/public/**/reference-sources*', { cwd: root })).toEqual([]);
  expect((await request.get('/reference-sources.json')).status()).toBe(404);
});

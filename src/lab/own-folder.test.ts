import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createServer, type ViteDevServer } from 'vite';

import { ownLabFolder } from './own-folder.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'own folder-')));
const [project, folder] = [path.join(base, 'the project'), path.join(base, 'my experiments')];
const another = path.join(base, 'another');
let server: ViteDevServer;

function writePackage(root: string, name: string): string {
  const place = path.join(root, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  writeFileSync(
    path.join(place, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', main: 'index.js' }),
  );
  writeFileSync(path.join(place, 'index.js'), 'export default 1;\n');
  return path.join(place, 'index.js');
}

beforeAll(async () => {
  for (const root of [project, folder, another]) {
    mkdirSync(root);
    writeFileSync(path.join(root, 'one.tsx'), '');
  }
  writeFileSync(path.join(project, 'package.json'), '{}');
  server = await createServer({
    root: project,
    configFile: false,
    logLevel: 'silent',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    plugins: [ownLabFolder(folder)],
  });
});

afterAll(async () => {
  await server.close();
  rmSync(base, { recursive: true, force: true });
});

async function find(name: string, from = folder): Promise<string | undefined> {
  const found = await server.environments.client.pluginContainer.resolveId(name, path.join(from, 'one.tsx'));
  return found?.id.split('?')[0];
}

it('finds packages in the folder first, then in the project, and React in the project alone', async () => {
  writePackage(project, 'both');
  const both = writePackage(folder, 'both');
  const ours = writePackage(project, 'ours');
  const own = writePackage(folder, 'own');
  writePackage(folder, 'react');
  const react = writePackage(project, 'react');
  expect(await find('both')).toBe(both);
  expect(await find('ours')).toBe(ours);
  expect(await find('own')).toBe(own);
  expect(await find('react')).toBe(react);
  expect(await find('nowhere')).toBeUndefined();
  // Of others it finds nothing: another folder's import is not this one's.
  expect(await find('ours', another)).toBeUndefined();
});

it('lets the browser have the folder’s files', () => {
  expect(server.config.server.fs.allow).toContain(folder);
});

import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createBuilder } from 'vite';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { hiddenMaps } from './hidden-maps.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'hidden-maps-')));
});

afterEach(() => rmSync(root, { recursive: true }));

/** @returns which maps were written, of the server and of the browser */
async function build(isRead: (environment: string) => boolean, ofRsc?: boolean): Promise<string[]> {
  const input = path.join(root, 'entry.js');
  writeFileSync(input, 'export const answer = () => 42;\nconsole.log(answer());');
  const output = { entryFileNames: '[name].js' };
  const options = (outDir: string) => ({ outDir, rolldownOptions: { input, output } });
  const rsc = { ...options('dist/server'), ...(ofRsc === undefined ? {} : { sourcemap: ofRsc }) };
  const builder = await createBuilder({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [hiddenMaps(() => path.join(root, 'dist'), isRead)],
    // As plugin-rsc has it.
    builder: { sharedPlugins: true, sharedConfigBuild: true },
    environments: {
      client: { build: options('dist/public') },
      rsc: { consumer: 'server', build: rsc },
    },
  });
  await builder.buildApp();
  return ['dist/server/entry.js.map', 'dist/public/entry.js.map', 'dist/maps/entry.js.map'].filter((file) =>
    existsSync(path.join(root, file)),
  );
}

test("the server's maps are beside it, and the browser's where nobody can fetch them", async () => {
  expect(await build(() => true)).toEqual(['dist/server/entry.js.map', 'dist/maps/entry.js.map']);
});

test('maps that no part reads are not made', async () => {
  expect(await build((environment) => environment === 'client')).toEqual(['dist/maps/entry.js.map']);
  rmSync(path.join(root, 'dist'), { recursive: true });
  expect(await build(() => false)).toEqual([]);
});

test('an app that says which maps it wants has those', async () => {
  expect(await build(() => false, true)).toEqual(['dist/server/entry.js.map']);
  expect(await build(() => true, false)).toEqual(['dist/maps/entry.js.map']);
});

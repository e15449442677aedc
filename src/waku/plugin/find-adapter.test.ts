import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { unstable_adapterAliasPlugin as adapterAlias } from 'waku/vite-plugins';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { findAdapter } from './find-adapter.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'find-adapter-'));
});

afterEach(() => rmSync(root, { recursive: true }));

function writeEntry(text: string): void {
  mkdirSync(path.join(root, 'app'));
  writeFileSync(path.join(root, 'app/waku.server.ts'), text);
}

test('the adapter is the one that Waku has chosen', async () => {
  expect(await findAdapter({ root, plugins: [adapterAlias({ unstable_adapter: 'waku/adapters/vercel' })] })).toBe(
    'vercel',
  );
  expect(await findAdapter({ root, plugins: [] })).toBe('node');
});

test('an entry of the app’s own may name another, or leave it to Waku', async () => {
  const plugins = [adapterAlias({ unstable_adapter: 'waku/adapters/netlify' })];
  writeEntry(`import adapter from "waku/adapters/edge";`);
  expect(await findAdapter({ root, plugins })).toBe('edge');
  writeFileSync(path.join(root, 'app/waku.server.ts'), `import adapter from 'waku/adapters/default';`);
  expect(await findAdapter({ root, plugins })).toBe('netlify');
  writeFileSync(path.join(root, 'app/waku.server.ts'), `import adapter from './own-adapter';`);
  expect(await findAdapter({ root, plugins })).toBe('netlify');
});

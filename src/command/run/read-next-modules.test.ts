import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { beforeEach, expect, it, onTestFinished } from 'vitest';

import { readNextModules } from './read-next-modules.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-next-modules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function write(name: string, text: string): void {
  const file = path.join(folder, '.next/server/app', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** As Next.js 16 with Turbopack writes it. */
function writeManifest(page: string, clientModules: Record<string, unknown>): string {
  return `globalThis.__RSC_MANIFEST = globalThis.__RSC_MANIFEST || {};
globalThis.__RSC_MANIFEST["${page}"] = ${JSON.stringify({ moduleLoading: { prefix: '' }, clientModules })};`;
}

function module(id: string | number) {
  return { id, name: '*', chunks: ['/_next/static/chunks/a.js'], async: false };
}

it('names the files of each page’s manifest once', async () => {
  write('page_client-reference-manifest.js', writeManifest('/page', { '[project]/app/cart.tsx': module(66928) }));
  write(
    'shop/[id]/page_client-reference-manifest.js',
    writeManifest('/shop/[id]/page', {
      '[project]/app/cart.tsx <module evaluation>': module(66928),
      '[project]/app/cart.tsx': module(66928),
      '[project]/node_modules/.pnpm/next@16/node_modules/next/dist/client/link.js': module('7'),
    }),
  );
  write('page.js', 'not read');
  expect(await readNextModules(folder)).toEqual([
    ['66928', 'app/cart.tsx'],
    ['7', 'next/dist/client/link.js'],
  ]);
});

it('takes whole paths from the app’s folder, in one line and as a text in a text', async () => {
  const one = { clientModules: { [`${folder}/src/a.tsx`]: module(1), [`${folder}/src/a.tsx#default`]: module(1) } };
  const text = JSON.stringify(JSON.stringify({ clientModules: { [`${path.dirname(folder)}/b.tsx`]: module(2) } }));
  const begin = 'globalThis.__RSC_MANIFEST=(globalThis.__RSC_MANIFEST||{});globalThis.__RSC_MANIFEST';
  write('a/page_client-reference-manifest.js', `${begin}["/a/page"]=${JSON.stringify(one)};`);
  write('b/page_client-reference-manifest.js', `${begin}["/b/page"]=${text}`);
  expect(await readNextModules(folder)).toEqual([
    ['1', 'src/a.tsx'],
    ['2', '../b.tsx'],
  ]);
});

it('passes over what it cannot read', async () => {
  write('a/page_client-reference-manifest.js', 'globalThis.__RSC_MANIFEST["/a"]={"clientModules":{');
  write(
    'b/page_client-reference-manifest.js',
    'globalThis.__RSC_MANIFEST["/b"]={"clientModules":{"x":{"id":{}},"y":7}};',
  );
  write('c/page_client-reference-manifest.js', 'globalThis.__RSC_MANIFEST["/c"]={"clientModules":[]};');
  write('d/page_client-reference-manifest.js', '');
  write('e/page_client-reference-manifest.js', writeManifest('/e', { '[project]/e.tsx': module(5) }));
  expect(await readNextModules(folder)).toEqual([['5', 'e.tsx']]);
});

it('finds nothing where nothing is built', async () => {
  expect(await readNextModules(folder)).toEqual([]);
});

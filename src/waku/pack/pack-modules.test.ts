import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { beforeEach, expect, onTestFinished, test } from 'vitest';

import { packModules } from './pack-modules.ts';

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'flight-recorder-pack-'));
  folder = path.join(root, 'packed');
  const imports = { '#waku-errors': { default: 'waku/minimal/client' }, '#src/*': './src/*' };
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ type: 'module', imports }));
  symlinkSync(path.resolve('node_modules'), path.join(root, 'node_modules'));
  onTestFinished(() => rmSync(root, { recursive: true }));
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}

function readPacked(file: string): string {
  return readFileSync(path.join(folder, file), 'utf8');
}

test('makes JavaScript that Node runs from where it lies, of every module that is named', async () => {
  write({
    'src/a/start.ts': `
      import type { Only } from './only-types.ts';
      import { twice } from '#src/b/twice.ts';
      import { word } from '#flight';
      export const result: Only = twice(word);
      export const load = () => import('./late.ts');
      export const url = new URL('./thread.ts', import.meta.url).pathname;`,
    'src/a/only-types.ts': 'export type Only = string;',
    'src/a/late.ts': 'export const late: number = 1;',
    'src/a/thread.ts': `import '../b/twice.ts';`,
    'src/b/twice.ts': 'export const twice = (text: string): string => text + text;',
    'packages/flight/src/index.ts': `export * from './word.ts';`,
    'packages/flight/src/word.ts': `export const word = 'ab';`,
  });
  const { files } = await packModules(root, ['src/a/start.ts'], folder);
  expect(files.toSorted()).toEqual([
    'packages/flight/src/index.ts',
    'packages/flight/src/word.ts',
    'src/a/late.ts',
    'src/a/start.ts',
    'src/a/thread.ts',
    'src/b/twice.ts',
  ]);
  const packed: { result: string; url: string; load: () => Promise<unknown> } = await import(
    pathToFileURL(path.join(folder, 'a/start.js')).href
  );
  expect(packed.result).toBe('abab');
  expect(packed.url).toBe(path.join(folder, 'a/thread.js'));
  expect(await packed.load()).toMatchObject({ late: 1 });
  expect(readPacked('a/thread.js')).toContain('"../b/twice.js"');
});

test('takes what the door of a package names from where it stands, and nothing else of the package', async () => {
  write({
    'src/a.ts': `
      import { word, second as other } from '#flight';
      export const result: string = word + other;`,
    'packages/flight/src/index.ts': `
      export { word, type Word } from './word.ts';
      export { two as second } from './deep/two.ts';
      export { unused } from './unused.ts';`,
    'packages/flight/src/word.ts': `export type Word = string; export const word: Word = 'ab';`,
    'packages/flight/src/deep/two.ts': `export const two = 'cd';`,
    'packages/flight/src/unused.ts': `export const unused = 1;`,
  });
  const { files } = await packModules(root, ['src/a.ts'], folder);
  expect(files.toSorted()).toEqual(['packages/flight/src/deep/two.ts', 'packages/flight/src/word.ts', 'src/a.ts']);
  const packed: { result: string } = await import(pathToFileURL(path.join(folder, 'a.js')).href);
  expect(packed.result).toBe('abcd');
});

test('keeps what a bundler reads: directives, styles, the environment, what comes with Waku', async () => {
  write({
    'src/page.tsx': `'use client';
      import 'server-only';
      import { Link } from 'waku';
      import './page.css';
      // Not the module ./other.ts, which is only spoken of.
      export const Page = ({ to }: { to: string }) => <Link to={to}>{import.meta.env.DEV}{'see ./other.ts'}</Link>;`,
    'src/page.css': 'a { color: red }',
  });
  const { files, ofPackages } = await packModules(root, ['src/page.tsx'], folder);
  expect(files).toEqual(['src/page.tsx', 'src/page.css']);
  expect(ofPackages).toEqual([]);
  const code = readPacked('page.js');
  expect(code).toMatch(/^"use client";/);
  for (const kept of ['"server-only"', '"waku"', '"./page.css"', 'import.meta.env.DEV', '"react/jsx-runtime"']) {
    expect(code).toContain(kept);
  }
  expect(readPacked('page.css')).toBe('a { color: red }');
});

test('says for bundlers what may be left out, and what depends on the environment', async () => {
  write({ 'src/a.ts': `import { getErrorInfo } from '#waku-errors';\nexport const info = getErrorInfo;` });
  await packModules(root, ['src/a.ts'], folder);
  expect(readPacked('a.js')).toContain('"#waku-errors"');
  expect(JSON.parse(readPacked('package.json'))).toEqual({
    private: true,
    type: 'module',
    sideEffects: expect.arrayContaining(['**/*.css', './waku/browser/*.js']),
    imports: { '#waku-errors': { default: 'waku/minimal/client' } },
  });
});

test('leaves a text alone that names no file', async () => {
  write({ 'src/a.ts': `export const hint = './not-there.ts';` });
  await packModules(root, ['src/a.ts'], folder);
  expect(readPacked('a.js')).toContain('"./not-there.ts"');
});

test('brings packages that do not come with Waku, with what is used of them alone', async () => {
  write({
    'src/a.ts': `import * as v from 'valibot';\nexport const parse = (x: unknown) => v.parse(v.string(), x);`,
    'src/b.ts': `import { TraceMap } from '@jridgewell/trace-mapping';\nexport { TraceMap };`,
  });
  const { ofPackages } = await packModules(root, ['src/a.ts', 'src/b.ts'], folder);
  const packed: { parse: (x: unknown) => string } = await import(pathToFileURL(path.join(folder, 'a.js')).href);
  expect(packed.parse('x')).toBe('x');
  const vendored: object = await import(pathToFileURL(path.join(folder, 'vendor/valibot.js')).href);
  expect(Object.keys(vendored).toSorted()).toEqual(['parse', 'string']);
  const maps: object = await import(pathToFileURL(path.join(folder, 'vendor/jridgewell-trace-mapping.js')).href);
  expect(Object.keys(maps)).toEqual(['TraceMap']);
  // For the list of licences.
  expect(ofPackages.some((file) => file.includes('node_modules/@jridgewell/sourcemap-codec/'))).toBe(true);
});

test('leaves comments out, but those that bundlers read', async () => {
  write({
    'src/a.ts': `
      /** For readers. */
      export const pattern = /* @__PURE__ */ new RegExp('// no comment');
      export const load = (name: string) => import(/* @vite-ignore */ name); // for readers
      export const text = \`a \${/* for readers */ pattern} /* no comment */\`;`,
  });
  await packModules(root, ['src/a.ts'], folder);
  const packed = readPacked('a.js');
  expect(packed).not.toMatch(/readers/);
  expect(packed.match(/\/\* @.*?\*\/|\/\/ no comment|\/\* no comment \*\//g)).toEqual([
    '/* @__PURE__ */',
    '// no comment',
    '/* @vite-ignore */',
    '/* no comment */',
  ]);
});

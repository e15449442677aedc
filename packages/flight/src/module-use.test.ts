import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { attributeBytes } from './attribution.ts';
import { estimateCompression } from './compression.ts';
import { decodeFlight } from './decode-flight.ts';
import type { Framework } from './frameworks/framework-records.ts';
import { readModuleUses, type ModuleUse } from './module-use.ts';

const encoder = new TextEncoder();
const fixtures = path.join(import.meta.dirname, '../fixtures');

function read(bytes: Uint8Array, moduleFiles?: ReadonlyMap<string, string>, framework?: Framework): ModuleUse[] {
  const flight = decodeFlight(bytes, moduleFiles ? { moduleFiles } : {});
  const compression = estimateCompression(bytes);
  return readModuleUses(flight, attributeBytes(flight, compression), compression, framework);
}

test('which elements pull each module in, and how often it is a value', () => {
  const uses = read(new Uint8Array(readFileSync(path.join(fixtures, 'react-19.3.1-production/client-refs.flight'))));
  expect(uses.map(({ name, elements, values }) => [name, elements, values])).toEqual([
    ['Counter', 2, 1],
    ['Button', 1, 0],
  ]);
  expect(uses[0]?.places).toHaveLength(2);
});

test('strings in rows of their own count with their first user', () => {
  const [counter, button] = read(
    new Uint8Array(readFileSync(path.join(fixtures, 'react-19.3.1-production/client-refs.flight'))),
  );
  expect(counter?.bytes).toBeGreaterThan(200);
  expect(counter?.chunkBytes).toBeGreaterThan(100);
  expect(button?.bytes).toBe('7:I["$1",["$2","$3","$4","$5"],"Button"]\n'.length);
  expect(button?.chunkBytes).toBe('"$2""$3""$4""$5"'.length);
});

test('a module that nothing uses, and its source', () => {
  const text = '1:I["abc",["a.js"],"Chart"]\n2:I["def",[],"Link"]\n0:["$","$L2",null,{}]\n';
  const uses = read(encoder.encode(text), new Map([['abc', 'src/chart.tsx']]));
  expect(uses).toMatchObject([
    { name: 'Chart', source: 'src/chart.tsx', elements: 0, values: 0, chunkBytes: 6 },
    { name: 'Link', source: undefined, elements: 1, values: 0, chunkBytes: 0 },
  ]);
});

test('React 18.3 names a module with an object', () => {
  const text = `2:I{"id":"231","chunks":["385:static/chunks/385.js","931:static/chunks/page.js"],"name":"default","async":false}
3:I{"id":"5","chunks":[],"name":"","async":true}
4:I{"name":"Nothing"}
0:["$","$L2",null,{}]
`;
  expect(read(encoder.encode(text))).toMatchObject([
    {
      id: 2,
      module: '231',
      name: 'default',
      chunks: ['385:static/chunks/385.js', '931:static/chunks/page.js'],
      isAsync: false,
      elements: 1,
      chunkBytes: '"385:static/chunks/385.js""931:static/chunks/page.js"'.length,
    },
    { id: 3, name: '', chunks: [], isAsync: true, elements: 0 },
  ]);
});

test('what only development’s data refers to is no use of the page', () => {
  const text =
    '1:I["a",[],"A"]\n2:I["b",[],"B"]\n3:{"name":"App","props":{"icon":"$1"}}\n0:D"$3"\n0:["$","$L2",null,{}]\n';
  expect(read(encoder.encode(text))).toMatchObject([
    { name: 'A', elements: 0, values: 0, debugUses: 1 },
    { name: 'B', elements: 1, values: 0, debugUses: 0 },
  ]);
});

test('what a module’s name costs after compression is little for the second in the same files', () => {
  const files = '["static/chunks/0f3a9c1d77b2.js","static/chunks/5be8d2046c19.js"]';
  const [first, second] = read(
    encoder.encode(`1:I["a",${files},"A"]\n2:I["b",${files},"B"]\n0:["$","$L1",null,{"b":"$2"}]\n`),
  );
  expect(first?.chunkBytes).toBe(files.length - 3);
  expect(second?.chunkBytes).toBe(files.length - 3);
  expect(first?.compressedChunks).toBeGreaterThan(25);
  expect(second?.compressedChunks).toBeLessThan(4);
  expect(first?.compressed).toBeGreaterThan(first?.compressedChunks ?? 0);
});

describe('the framework’s own modules', () => {
  function ownNames(rows: string, framework?: Framework, sources?: ReadonlyMap<string, string>): string[] {
    const uses = read(encoder.encode(`${rows}0:"x"\n`), sources, framework);
    return uses.filter(({ isFrameworks }) => isFrameworks).map(({ id, name }) => `${id.toString(16)} ${name}`);
  }

  test('by an export that only the framework has, and by its id', () => {
    const rows = '1:I["a1",[],"Slot_UNSTABLE"]\n2:I["a1",[],"Other"]\n3:I["b2",[],"Mine"]\n';
    expect(ownNames(rows, 'waku')).toEqual(['1 Slot_UNSTABLE', '2 Other']);
    expect(ownNames(rows, 'react-router')).toEqual([]);
    expect(ownNames(rows)).toEqual([]);
  });

  test('by its path, and by the path that a manifest has', () => {
    const link = '[project]/node_modules/next/dist/client/app-dir/link.js [app-client] (ecmascript)';
    expect(ownNames(`1:I["${link}",["a.js"],""]\n2:I["[project]/app/next/distance.js",["a.js"],""]\n`, 'next')).toEqual(
      ['1 '],
    );
    const sources = new Map([['9f', '/srv/node_modules/waku/dist/link.js']]);
    expect(ownNames('1:I["9f",[],"Link"]\n2:I["a0",[],"Link"]\n', 'waku', sources)).toEqual(['1 Link']);
  });

  /** As @vitejs/plugin-rsc does. */
  function hashId(name: string): string {
    return createHash('sha256').update(name).digest('hex').slice(0, 12);
  }

  test.each([
    ['waku', 'waku/router/client', 'Link'],
    ['waku', 'waku/minimal/client', 'Slot'],
    ['waku', 'node_modules/waku/dist/minimal/client.js', 'Slot'],
    ['react-router', 'react-router/internal/react-server-client', 'Outlet'],
  ] as const)('%s: by the hash of its name, %s', (framework, module, name) => {
    const rows = `1:I["${hashId(module)}",[],"${name}",1]\n2:I["${hashId(`src/${module}`)}",[],"${name}",1]\n`;
    expect(ownNames(rows, framework)).toEqual([`1 ${name}`]);
  });

  test('the recorder’s own in another app, by the names of their exports', () => {
    const folder = path.join(import.meta.dirname, '../../../src/waku/app');
    const names = readdirSync(folder)
      .filter((file) => file.endsWith('.tsx') && !file.endsWith('.test.tsx'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'))
      .filter((text) => text.startsWith("'use client'"))
      .flatMap((text) =>
        Array.from(text.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm), ([, name]) => name),
      );
    expect(names).toHaveLength(4);
    const rows = names.map((name, index) => `${index + 1}:I["${hashId(String(name))}",[],"${name}",1]\n`).join('');
    expect(ownNames(rows, 'waku')).toEqual(names.map((name, index) => `${index + 1} ${name}`));
  });

  test('Next.js: its router by its props, and of webpack what has no file of its own', () => {
    const template = '["$","$L2",null,{}]';
    const modules = [1, 2, 3].map((id) => `${id}:I["${id}",["a.js"],"default"]\n`).join('');
    const router = `7:["$","$L1",null,{"parallelRouterKey":"children","template":${template}}]\n`;
    const rows = `${modules}4:I["4",[],""]\n${router}8:["$","$L3",null,{"template":${template}}]\n`;
    expect(ownNames(rows, 'next')).toEqual(['1 default', '2 default', '4 ']);
    expect(ownNames(rows.replace('null,{}]', 'null,{"children":0}]'), 'next')).toEqual(['1 default', '4 ']);
  });

  test.each([
    ['next-16.4.6-cache-components/about.rsc', 'next', ['', 'default']],
    ['react-router-8-production/types.manifest.rsc', 'react-router', ['ErrorBoundary', 'Layout', 'meta']],
    ['waku-1.0.0-rc.1-production/home-rsc.flight', 'waku', ['Counter']],
    ['waku-1.0.0-rc.1-production/boom-rsc.flight', 'waku', []],
    ['react-router-8-production/types.rsc', 'react-router', ['ErrorBoundary', 'Later', 'Layout', 'Show', 'meta']],
  ] as const)('%s: the others are the app’s', (fixture, framework, names) => {
    const uses = read(new Uint8Array(readFileSync(path.join(fixtures, fixture))), undefined, framework);
    const own = uses.filter(({ isFrameworks }) => !isFrameworks).map(({ name }) => name);
    expect([...new Set(own)].toSorted()).toEqual(names);
  });
});

test('every module of a real page is used', () => {
  const uses = read(new Uint8Array(readFileSync(path.join(fixtures, 'waku-1.0.0-rc.1-production/home-rsc.flight'))));
  expect(uses.length).toBeGreaterThan(3);
  for (const { elements, places } of uses) expect(elements).toBe(places.length);
});

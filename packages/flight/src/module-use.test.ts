import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { attributeBytes } from './attribution.ts';
import { decodeFlight } from './decode-flight.ts';
import { readModuleUses, type ModuleUse } from './module-use.ts';

const encoder = new TextEncoder();
const fixtures = path.join(import.meta.dirname, '../fixtures');

function read(bytes: Uint8Array, sources?: ReadonlyMap<string, string>): ModuleUse[] {
  const flight = decodeFlight(bytes);
  return readModuleUses(flight, attributeBytes(flight), sources);
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

test('every module of a real page is used', () => {
  const uses = read(new Uint8Array(readFileSync(path.join(fixtures, 'waku-1.0.0-rc.1-production/home-rsc.flight'))));
  expect(uses.length).toBeGreaterThan(3);
  for (const { elements, places } of uses) expect(elements).toBe(places.length);
});

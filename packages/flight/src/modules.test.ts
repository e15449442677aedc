import { expect, test } from 'vitest';

import { decodeFlight } from './decode-flight.ts';
import { createElementNames } from './element-names.ts';
import { nameModule, readModules } from './modules.ts';
import { readNestedFlight } from './nested-flight.ts';
import { printElementType, printRow } from './print-value.ts';
import { readRow } from './row.ts';
import { readElement } from './value.ts';

test.each([
  ['["m",[],"Counter"]', 'Counter'],
  ['["src/components/link.tsx",[],"Link"]', 'Link'],
  ['["src/components/link.tsx",[],"default"]', 'link.tsx'],
  ['["C:\\\\app\\\\link.mjs",[],""]', 'link.mjs'],
  ['["/src/link.tsx?v=1f#x",[],"default"]', 'link.tsx'],
  ['["(app-pages-browser)/./node_modules/next/dist/client/link.js",[],""]', 'link.js'],
  ['["[project]/src/link.tsx [app-client] (ecmascript)",[],"default"]', 'link.tsx'],
  ['["/src/button/index.tsx",[],"default"]', 'button/index.tsx'],
  ['["[project]/node_modules/@acme/stars/dist/esm/index.js",[],""]', 'stars/index.js'],
  ['["[project]/index.js",[],""]', 'index.js'],
  ['["index.js",[],""]', 'index.js'],
  ['["/index.js",[],""]', 'index.js'],
  ['[22016,["a.js"],""]', 'default 22016'],
  ['[22016,["a.js"],"default"]', 'default 22016'],
  ['["6f1c2b",[],"*"]', 'module 6f1c2b'],
  ['["0123456789abcdef",[],"default"]', 'default 0123456789abcdef'],
  ['["0123456789abcdef0",[],"default"]', 'default 0123456789abcde…'],
  ['["",[],"default"]', 'default'],
  ['["a1b2c","default",["x.js"]]', 'default a1b2c'],
  ['["a1b2c","Counter",["x.js"]]', 'Counter'],
  ['{"id":"7","chunks":[],"name":"","async":false}', 'default 7'],
  ['"of no known shape"', 'module'],
])('a module of %s is called %s everywhere', (metadata, name) => {
  const flight = decodeFlight(new TextEncoder().encode(`1:I${metadata}\n0:["$","$L1",null,{}]\n`));
  const row = readRow(flight, 1);
  if (row.kind !== 'model') throw new Error('no model');
  expect(printElementType(flight, readElement(flight, row.value).type)).toBe(name);
  expect(createElementNames(flight).typeOf(1, row.value.at).name).toBe(name);
  expect(printRow(flight, readRow(flight, 0))).toBe(`client ${name}`);
  expect(readModules(flight).map(nameModule)).toEqual(name === 'module' ? [] : [name]);
});

test.each([
  [
    '["250","static/chunks/250-ab12.js","931","app/page-cd34.js?dpl=1"]',
    ['static/chunks/250-ab12.js', 'app/page-cd34.js?dpl=1'],
  ],
  ['["app/page","static/chunks/app/page.js"]', ['static/chunks/app/page.js']],
  ['["/_next/a.js","/_next/b.js"]', ['/_next/a.js', '/_next/b.js']],
  ['["/_next/a.js"]', ['/_next/a.js']],
  ['[]', []],
])('its files are listed without the ids of webpack’s chunks: %s', (chunks, files) => {
  const flight = decodeFlight(new TextEncoder().encode(`1:I[5250,${chunks},"Image"]\n0:["$","$L1",null,{}]\n`));
  expect(readModules(flight)[0]?.chunks).toEqual(files);
});

test('a module whose file the flight knows is called by it, in nested payloads, too', () => {
  const text = '1:I[22016,["a.js"],"default"]\n2:I[7,[],"Counter"]\n0:["$","$L1",null,{}]\n';
  const flight = decodeFlight(new TextEncoder().encode(text), { moduleFiles: new Map([['22016', 'src/cart.tsx']]) });
  expect(readModules(flight).map(nameModule)).toEqual(['cart.tsx', 'Counter']);
  expect(readModules(flight).map(({ source }) => source)).toEqual(['src/cart.tsx', undefined]);
  expect(printRow(flight, readRow(flight, 0))).toBe('client cart.tsx');
  const outer = `3:o${text.length.toString(16)},${text}0:"$3"\n`;
  const around = decodeFlight(new TextEncoder().encode(outer), { moduleFiles: flight.moduleFiles });
  expect(readNestedFlight(around, 0)?.moduleFiles.get('22016')).toBe('src/cart.tsx');
});

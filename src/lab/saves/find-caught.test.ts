import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { findCaught } from './find-caught.ts';

const root = mkdtempSync(path.join(tmpdir(), 'find-caught-'));
writeFileSync(path.join(root, 'caught.tsx'), 'class Caught { static getDerivedStateFromError() {} }');
writeFileSync(path.join(root, 'plain.tsx'), 'export function Plain() {}');
afterAll(() => rmSync(root, { recursive: true }));

const modules = [
  '2:I["/caught.tsx?v=1",[],"Caught"]',
  `3:I["/@fs${root}/caught.tsx",[],"default"]`,
  '4:I["/plain.tsx",[],"Plain"]',
  '5:I["/gone.tsx",[],"Gone"]',
];
const error = 'a:E{"digest":"ABCDE12345"}';

function find(page: string, ...rows: readonly string[]) {
  const text = [...modules, `0:{"page:/lab/x":${page}}`, ...rows, error].join('\n');
  return findCaught(decodeFlight(new TextEncoder().encode(`${text}\n`)), root);
}

it('finds an error within a boundary, in its children, its props, and rows further on', () => {
  const caught = (name: string) => ({ errors: 1, boundaries: [name], promises: 0, givenTo: [] });
  expect(find('["$","$L2",null,{"children":"$La"}]')).toEqual(caught('caught.tsx'));
  expect(find('["$","$L2",null,{"late":"$@a"}]')).toEqual(caught('caught.tsx'));
  expect(
    find('["$","$L3",null,{"children":["$","p",null,{"children":"$L6"}]}]', '6:["$","$L4",null,{"late":"$@a"}]'),
  ).toEqual(caught('caught.tsx'));
});

it('finds none where a way to the error is in no boundary', () => {
  expect(find('"$La"')).toBeUndefined();
  expect(find('["$","$L4",null,{"children":"$La"}]')).toBeUndefined();
  expect(find('["$","$L5",null,{"late":["$","p",null,{"children":"$@a"}]}]')).toBeUndefined();
  expect(find('[["$","$L2",null,{"children":"$La"}],["$","p",null,{"children":"$La"}]]')).toBeUndefined();
  // A second error.
  expect(find('[["$","$L2",null,{"children":"$La"}],"$Lb"]', 'b:E{"digest":"BBBBB12345"}')).toBeUndefined();
});

it('takes no rejected promise for a broken save that client code alone is given', () => {
  const given = { errors: 0, boundaries: [], promises: 1, givenTo: ['Plain'] };
  expect(find('["$","$L4",null,{"late":"$@a"}]')).toEqual(given);
  expect(find('["$","$L4",null,{"scores":[{"sum":"$@a"}]}]')).toEqual(given);
  // The page shows it, too.
  expect(find('[["$","$L4",null,{"late":"$@a"}],["$","p",null,{"children":"$La"}]]')).toBeUndefined();
  // One is caught, and one is given.
  const both = '[["$","$L2",null,{"children":"$La"}],["$","$L4",null,{"late":"$@b"}]]';
  expect(find(both, 'b:E{"digest":"BBBBB12345"}')).toEqual({ ...given, errors: 1, boundaries: ['caught.tsx'] });
});

it('finds none where nothing failed', () => {
  expect(findCaught(decodeFlight(new TextEncoder().encode('0:{"page:/lab/x":"whole"}\n')), root)).toBeUndefined();
});

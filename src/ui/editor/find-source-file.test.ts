import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { findSourceFile } from './find-source-file.ts';

let around: string;
let project: string;
let own: string;

beforeAll(() => {
  around = realpathSync(mkdtempSync(path.join(tmpdir(), 'flight-editor-')));
  [project, own] = [path.join(around, 'project'), path.join(around, 'mine')];
  for (const folder of ['project/src', 'project-2', 'mine', 'other']) {
    mkdirSync(path.join(around, folder), { recursive: true });
  }
  for (const file of ['project/src/a.tsx', 'project-2/b.tsx', 'mine/c.tsx', 'other/d.tsx']) {
    writeFileSync(path.join(around, file), '');
  }
  symlinkSync(path.join(around, 'other/d.tsx'), path.join(project, 'src/link.tsx'));
});

afterAll(() => rmSync(around, { recursive: true }));

it('finds a file of the project, and one of a folder of one’s own, by the names that pages show', () => {
  const folders = [project, own];
  expect(findSourceFile('src/a.tsx', folders)).toBe(path.join(project, 'src/a.tsx'));
  expect(findSourceFile('mine/c.tsx', folders)).toBe(path.join(own, 'c.tsx'));
  expect(findSourceFile('../mine/c.tsx', folders)).toBe(path.join(own, 'c.tsx'));
});

it.each([
  '../project-2/b.tsx',
  '../other/d.tsx',
  'src/link.tsx',
  'src',
  '.',
  '',
  'src/none.tsx',
  'src/a.tsx\0',
  'x'.repeat(9_999),
])('finds nothing by %j', (name) => {
  expect(findSourceFile(name, [project, own])).toBeUndefined();
});

it('finds nothing by a whole path outside, and nothing where no sources are served', () => {
  expect(findSourceFile(path.join(around, 'other/d.tsx'), [project, own])).toBeUndefined();
  expect(findSourceFile(path.join(own, 'c.tsx'), [project])).toBeUndefined();
  expect(findSourceFile('src/a.tsx', [])).toBeUndefined();
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { GoodTexts } from '../saves/good-files.ts';
import { describeProblem } from './experiment.ts';
import { readExperiments } from './read-experiments.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'lab-'));
});

afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

function experiment(title: string, more = ''): string {
  return `/**\n * ${title}\n *\n * Look for: it\n */\n${more}\nexport default function Lab() {}\n`;
}

function read(lastGood?: GoodTexts, folders = ['lab']) {
  const listed = folders.map((folder) => ({ folder: path.join(root, folder), group: `of ${folder}` }));
  return readExperiments(root, listed, lastGood);
}

const names = () => read().map(({ name }) => name);

it('lists files with an experiment, by their place and then by title', () => {
  write('lab/b.tsx', experiment('Same', `import './a/inner.tsx';`));
  write('lab/a.tsx', experiment('Other'));
  write('lab/c.jsx', experiment('Zebra', 'export const order = 1;'));
  write('lab/part.tsx', 'export function Part() {}');
  write('lab/wait.ts', 'export default 1');
  write('lab/a.test.tsx', experiment('A test'));
  write('lab/a/inner.tsx', `import '../part';\n${experiment('In a folder')}`);
  write('lab/button.tsx', `'use client';\nexport function Button() {}`);
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(read()[0]).toMatchObject({ file: 'lab/a.tsx', title: 'Other', group: 'of lab', isUntitled: false, pages: {} });
});

it('follows the folder', () => {
  expect(names()).toEqual([]);
  write('lab/a.tsx', experiment('One'));
  expect(names()).toEqual(['a']);
  write('lab/b.tsx', experiment('Two'));
  write('lab/a.tsx', experiment('Three'));
  expect(read().map(({ title }) => title)).toEqual(['Three', 'Two']);
  rmSync(path.join(root, 'lab/a.tsx'));
  expect(names()).toEqual(['b']);
});

it('shows the sources that it imports from its folder, each once, and those of its pages', () => {
  write(
    'lab/a.tsx',
    experiment('One', `import './a/part';\nimport '../outside.ts';\nimport 'react';\nimport './gone.ts';`),
  );
  write('lab/a/part.tsx', `import '../shared.ts';\nimport '../a.tsx';`);
  write('lab/shared.ts', '');
  write('lab/not-named.ts', '');
  write('outside.ts', '');
  write('lab/a/pages/[number].tsx', `import '../of-page.ts';`);
  write('lab/a/pages/(static)/[number].tsx', '');
  write('lab/a/pages/page.test.tsx', '');
  write('lab/a/of-page.ts', '');
  const [found] = read();
  expect(Object.keys(found?.pages ?? {})).toEqual(['(static)/[number].tsx', '[number].tsx']);
  expect(found?.sources.map(({ file }) => file)).toEqual([
    'lab/a.tsx',
    'lab/a/pages/(static)/[number].tsx',
    'lab/a/pages/[number].tsx',
    'lab/a/part.tsx',
    'lab/a/of-page.ts',
    'lab/shared.ts',
  ]);
  expect(found?.sources[0]?.source).toContain('One');
});

it('keeps the title of the last good version while a file cannot be read', () => {
  const lastGood: GoodTexts = new Map();
  write('lab/a.tsx', experiment('Good', `export const group = 'Mine';`));
  expect(read(lastGood)[0]).toMatchObject({ title: 'Good', problem: undefined });
  write('lab/a.tsx', `${experiment('Better')}<<<`);
  expect(read(lastGood)[0]).toMatchObject({
    title: 'Good',
    group: 'Mine',
    problem: { kind: 'syntax', file: 'lab/a.tsx' },
  });
  expect(read()[0]).toMatchObject({ title: 'a', isUntitled: false, problem: { kind: 'syntax' } });
  write('lab/a.tsx', experiment('Better'));
  expect(read(lastGood)[0]).toMatchObject({ title: 'Better', group: 'of lab', problem: undefined });
});

it('lists a file without a comment under its name', () => {
  write('lab/first-try.tsx', 'export default function Lab() {}');
  expect(read()[0]).toMatchObject({ title: 'first-try', isUntitled: true, problem: undefined });
});

it('leaves the others alone when one is broken', () => {
  write('lab/a.tsx', '<<<');
  write('lab/b.tsx', experiment('Whole'));
  write('lab/c.tsx', `/**\n * Title\n *\n * Look for: it\n */\n`);
  write('lab/[id].tsx', experiment('A parameter'));
  write('lab/about.tsx', experiment('Taken by the lab'));
  expect(Object.fromEntries(read().map(({ name, problem }) => [name, problem?.kind]))).toEqual({
    a: 'syntax',
    b: undefined,
    c: 'no-default',
    id: 'bad-name',
    'about-2': 'bad-name',
  });
});

it('lists a file without a default export that nothing imports, with what to change', () => {
  write('lab/a.tsx', '/** Forgotten */\nexport function Lab() {}');
  write('lab/b.jsx', 'export function Part() {}');
  write('lab/b.tsx', experiment('Has its name'));
  const [found, ...others] = read();
  expect(others.map(({ name, file }) => [name, file])).toEqual([
    ['b-2', 'lab/b.jsx'],
    ['b', 'lab/b.tsx'],
  ]);
  expect(found).toMatchObject({ name: 'a', title: 'Forgotten', problem: { kind: 'no-default' } });
  expect(found?.problem && describeProblem(found.problem)).toContain('Write ‘export default’');
});

it('gives a file whose name is no address a page at one that is free, which says to what it can be renamed', () => {
  for (const name of ['index', 'Bad Name', 'Bad-Name', '[...]', 'a_b']) {
    write(`lab/${name}.tsx`, experiment('Score board'));
  }
  const told = read().map(({ name, problem }) => [name, problem && describeProblem(problem)]);
  expect(Object.fromEntries(told)).toEqual({
    'Bad-Name': undefined,
    'Bad-Name-2': expect.stringMatching(/^The name of lab\/Bad Name\.tsx is .* to ‘Bad-Name-2\.tsx’\.$/),
    experiment: expect.stringContaining('Rename the file, for example to ‘experiment.tsx’.'),
    'a-b': expect.stringContaining('‘a-b.tsx’'),
    'index-2': expect.stringContaining('‘index-2.tsx’'),
  });
});

it('takes several folders, and says which of two with one name has the page', () => {
  write('lab/a.tsx', experiment('Ours'));
  write('mine/a.tsx', experiment('Mine too'));
  write('mine/b.tsx', experiment('Mine'));
  const found = read(undefined, ['lab', 'mine', 'missing']);
  const problem = { kind: 'name-taken', file: 'mine/a.tsx', by: 'lab/a.tsx', rename: 'a-2.tsx' } as const;
  expect(found.map((one) => [one.name, one.file, one.problem])).toEqual([
    ['a', 'lab/a.tsx', undefined],
    ['a-2', 'mine/a.tsx', problem],
    ['b', 'mine/b.tsx', undefined],
  ]);
  expect(describeProblem(problem)).toBe(
    'lab/a.tsx has this name already. Rename mine/a.tsx, for example to ‘a-2.tsx’.',
  );
});

it('names files of a folder elsewhere by that folder alone', () => {
  write('elsewhere/play/a.tsx', experiment('One', `import './part.ts';`));
  write('elsewhere/play/part.ts', '');
  write('project/package.json', '{}');
  const folder = { folder: path.join(root, 'elsewhere/play'), group: 'Mine' };
  const [found] = readExperiments(path.join(root, 'project'), [folder]);
  expect(found?.sources.map(({ file }) => file)).toEqual(['play/a.tsx', 'play/part.ts']);
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { fillOneFile, oneFilePlaces } from '#flight';

import { readShared } from './read-shared.ts';
import { planShared, writeShared } from './write-shared.ts';

type Text = readonly [title: string, text: string];

const template = `${oneFilePlaces.title}${oneFilePlaces.saved}`;

async function save(texts: readonly Text[]): Promise<string> {
  return await fillOneFile(template, {
    title: 'Experiment: A greeting',
    savedAt: '2026-01-01T00:00:00.000Z',
    flights: [],
    comparisons: [],
    texts: texts.map(([title, text]) => ({ title, text })),
  });
}

const greeting: readonly Text[] = [
  ['Source of src/lab/greeting.tsx', 'export default function Greeting() {}'],
  ['Source of src/lab/greeting/hello.tsx', "'use client';"],
  ['Source of src/lab/wait.ts', 'export function wait() {}'],
];

async function read(texts: readonly Text[]) {
  const result = await readShared(await save(texts));
  if (result.kind === 'none') throw new Error(result.reason);
  return result.experiment;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-shared-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('reads the sources of an experiment out of the file that it was saved in', async () => {
  const { title, files } = await read(greeting);
  expect(title).toBe('Experiment: A greeting');
  expect(files.map(({ file }) => file)).toEqual(['greeting.tsx', 'greeting/hello.tsx', 'wait.ts']);
});

it('takes one from a folder elsewhere by its place in that folder', async () => {
  const { files } = await read([
    ['Source of mine/hello.tsx', ''],
    ['Source of mine/hello/pages/[number].tsx', ''],
  ]);
  expect(files.map(({ file }) => file)).toEqual(['hello.tsx', 'hello/pages/[number].tsx']);
});

it('writes what is missing, and nothing over what is there', async () => {
  writeFileSync(path.join(folder, 'wait.ts'), 'export function wait() {}\n');
  const experiment = await read(greeting);
  const plan = planShared(folder, experiment);
  if (plan.kind === 'refused') throw new Error(plan.reason);
  expect(readdirSync(folder)).toEqual(['wait.ts']);
  expect(plan.files.map(({ file }) => file)).toEqual(['greeting.tsx', 'greeting/hello.tsx']);
  writeShared(folder, plan.files);
  expect(readFileSync(path.join(folder, 'greeting/hello.tsx'), 'utf8')).toBe("'use client';\n");
  expect(() => writeShared(folder, plan.files)).toThrow(/EEXIST/);
  expect(planShared(folder, experiment)).toMatchObject({ reason: expect.stringMatching(/there already, as it is/) });

  writeFileSync(path.join(folder, 'wait.ts'), 'mine');
  expect(planShared(folder, experiment)).toMatchObject({ reason: expect.stringMatching(/wait\.ts.*another one/) });
});

it('makes no file in a folder that is not the experiment’s', async () => {
  mkdirSync(path.join(folder, 'list'));
  const experiment = await read([
    ['Source of src/lab/greeting.tsx', ''],
    ['Source of src/lab/list/made.ts', ''],
  ]);
  expect(planShared(folder, experiment)).toMatchObject({ kind: 'refused' });
});

it.each([
  '../greeting.tsx',
  '/etc/passwd.ts',
  'greeting/../../x.ts',
  'greeting/.hidden.ts',
  'greeting/x.test.ts',
  'greeting/x.json',
  'greeting/a\nb.ts',
  String.raw`greeting\..\..\x.ts`,
  'greeting/1/2/3/4/5.ts',
  `greeting/${'x'.repeat(200)}.ts`,
])('refuses the name %j', async (file) => {
  const html = await save([
    ['Source of src/lab/greeting.tsx', ''],
    [`Source of ${file.startsWith('/') ? '' : 'src/lab/'}${file}`, ''],
  ]);
  expect(await readShared(html)).toMatchObject({ kind: 'none' });
});

it.each(['Source of src/lab/../x.ts', 'Source of ', 'Source of src/lab/.tsx', 'Source of src/lab/plain.ts'])(
  'refuses an experiment called %j',
  async (title) => {
    expect(await readShared(await save([[title, '']]))).toMatchObject({ kind: 'none' });
  },
);

it('says what is wrong with a file that has no experiment', async () => {
  expect(await readShared(await save([]))).toMatchObject({ reason: expect.stringMatching(/no source was saved/) });
  expect(await readShared('<p>Hello</p>')).toMatchObject({
    reason: expect.stringMatching(/no file with an experiment/),
  });
  const long = await save([['Source of src/lab/a.tsx', 'x'.repeat(300_000)]]);
  expect(await readShared(long)).toMatchObject({ reason: expect.stringMatching(/256 KiB: a\.tsx/) });
  const many = Array.from({ length: 51 }, (_, at): Text => [`Source of src/lab/a${at}.tsx`, '']);
  expect(await readShared(await save(many))).toMatchObject({ reason: expect.stringMatching(/51 sources/) });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { rememberCause } from '#src/runtime/errors/dev-causes.ts';

import { readProblem } from './read-problem.ts';

const root = mkdtempSync(path.join(tmpdir(), 'read problem-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(name: string): string {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '\n');
  return file;
}

function fail(...places: readonly string[]): string {
  const error = new Error('it threw');
  error.stack = ['Error: it threw', ...places.map((place) => `    at Page (${place})`)].join('\n');
  rememberCause('ABCDE12345', error);
  return 'ABCDE12345';
}

it('names the first file of the stack that is there and in no package, also when its path has a space', () => {
  const [react, own] = [write('node_modules/react/index.js'), write('hello.tsx')];
  expect(own).toContain(' ');
  const expected = { message: 'Error: it threw', file: own, line: 24 };
  expect(readProblem(fail(`${react}:1:1`, '/gone.tsx:3:1', `${own}:24:29`), 500)).toEqual(expected);
  expect(readProblem(fail(`${encodeURI(own)}:24:29`), 500)).toEqual(expected);
});

it('has no file where none is there, and a status where nothing is known', () => {
  const nowhere = { message: 'Error: it threw', file: undefined, line: undefined };
  expect(readProblem(fail('/gone.tsx:3:1', '/%E0%A4%A.tsx:3:1'), 500)).toEqual(nowhere);
  expect(readProblem(undefined, 503)).toMatchObject({ message: expect.stringContaining('503'), file: undefined });
});

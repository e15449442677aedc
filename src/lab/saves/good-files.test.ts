import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { forgetFile, goodTexts, readGoodFile } from './good-files.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'good files-'));
  file = path.join(folder, 'one.tsx');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  goodTexts.clear();
});

it('keeps the last text that could be read, and says what is wrong with the file in which line', () => {
  writeFileSync(file, 'export const one = <p>1</p>;\n');
  expect(readGoodFile(file)).toEqual({ text: 'export const one = <p>1</p>;\n', problem: undefined, isKept: false });
  writeFileSync(file, 'export const two = 2;\nconst broken = ((;\n');
  expect(readGoodFile(file)).toMatchObject({
    text: 'export const one = <p>1</p>;\n',
    isKept: true,
    problem: { file, line: 2, message: expect.stringMatching(/^SyntaxError: /) },
  });
});

it('gives a file as it is that never was good, or was made again', () => {
  writeFileSync(file, 'const broken = ((;\n');
  expect(readGoodFile(file)).toMatchObject({ text: 'const broken = ((;\n', isKept: false, problem: { line: 1 } });
  writeFileSync(file, 'export const one = 1;\n');
  readGoodFile(file);
  forgetFile(file);
  writeFileSync(file, 'const broken = ((;\n');
  expect(readGoodFile(file).isKept).toBe(false);
});

it('takes an empty file for one that is being written', () => {
  writeFileSync(file, 'export const one = 1;\n');
  readGoodFile(file);
  writeFileSync(file, ' \n');
  expect(readGoodFile(file)).toMatchObject({
    isKept: true,
    text: 'export const one = 1;\n',
    problem: { line: undefined },
  });
});

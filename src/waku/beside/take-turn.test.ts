import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { takeTurn } from './take-turn.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-turn-'));
  file = path.join(folder, 'interface.starting');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('is one process’s at a time', () => {
  const end = takeTurn(folder);
  expect(end).toBeDefined();
  expect(takeTurn(folder)).toBeUndefined();
  end?.();
  expect(existsSync(file)).toBe(false);
  takeTurn(folder)?.();
});

/** Larger than any process id. */
const nobody = '99999999';

it.each([
  ['of a process that has ended', nobody, 0],
  ['that takes longer than any start', String(process.pid), 60_000],
])('%s is over', (_, pid, agoMs) => {
  writeFileSync(file, pid);
  const time = new Date(Date.now() - agoMs);
  utimesSync(file, time, time);
  expect(takeTurn(folder)).toBeUndefined();
  expect(takeTurn(folder)).toBeDefined();
});

it('that was just begun, and says nothing yet, is not over', () => {
  writeFileSync(file, '');
  expect(takeTurn(folder)).toBeUndefined();
  expect(existsSync(file)).toBe(true);
});

it('needs a folder that can be written', () => {
  expect(() => takeTurn(path.join(folder, 'missing'))).toThrow('ENOENT');
});

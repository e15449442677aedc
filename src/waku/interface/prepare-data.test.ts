import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { chooseDataFolder, prepareData } from './prepare-data.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-prepare-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it('is for its owner alone, and in a project never committed', () => {
  writeFileSync(path.join(folder, 'package.json'), '{}');
  const data = path.join(folder, 'deep/data');
  prepareData(data);
  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(readFileSync(path.join(data, '.gitignore'), 'utf8')).toBe('*\n');
});

it('is no business of ours outside of a project, or when it was there', () => {
  prepareData(path.join(folder, 'data'));
  expect(existsSync(path.join(folder, 'data/.gitignore'))).toBe(false);
  writeFileSync(path.join(folder, 'package.json'), '{}');
  mkdirSync(path.join(folder, 'own'));
  prepareData(path.join(folder, 'own'));
  expect(existsSync(path.join(folder, 'own/.gitignore'))).toBe(false);
});

it('is the option’s, else ./data', () => {
  expect(chooseDataFolder('/srv/flight')).toBe('/srv/flight');
  expect(chooseDataFolder(undefined)).toBe(path.resolve(process.env['FLIGHT_DATA'] || 'data'));
});

it('is a folder, or nothing is started', () => {
  writeFileSync(path.join(folder, 'data'), '');
  expect(() => prepareData(path.join(folder, 'data'))).toThrow('is not a folder');
});

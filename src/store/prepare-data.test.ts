import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { chooseDataFolder, findDefaultFolder, prepareData } from './prepare-data.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-prepare-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('is for its owner alone, and in a project never committed', () => {
  writeFileSync(path.join(folder, 'package.json'), '{}');
  const data = path.join(folder, 'deep/data');
  prepareData(data);
  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(readFileSync(path.join(data, '.gitignore'), 'utf8')).toBe('*\n');
});

it('is no business of ours outside of a project, or when it has files', () => {
  prepareData(path.join(folder, 'data'));
  expect(existsSync(path.join(folder, 'data/.gitignore'))).toBe(false);
  writeFileSync(path.join(folder, 'package.json'), '{}');
  mkdirSync(path.join(folder, 'own'));
  writeFileSync(path.join(folder, 'own/notes.txt'), '');
  prepareData(path.join(folder, 'own'));
  expect(existsSync(path.join(folder, 'own/.gitignore'))).toBe(false);
});

it('is not committed where it was there with hidden files alone, but for a list of somebody’s own', () => {
  writeFileSync(path.join(folder, 'package.json'), '{}');
  const data = path.join(folder, 'data');
  mkdirSync(data);
  writeFileSync(path.join(data, '.gitkeep'), '');
  prepareData(data);
  expect(readFileSync(path.join(data, '.gitignore'), 'utf8')).toBe('*\n');
  writeFileSync(path.join(data, '.gitignore'), 'own\n');
  prepareData(data);
  expect(readFileSync(path.join(data, '.gitignore'), 'utf8')).toBe('own\n');
});

it('is what somebody said, else ./data', () => {
  expect(chooseDataFolder('/srv/flight')).toBe('/srv/flight');
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  for (const given of [undefined, '']) expect(chooseDataFolder(given)).toBe(path.join(folder, 'data'));
});

it.each([
  ['is not there', [], 'data'],
  ['is empty but for hidden files', ['.gitkeep'], 'data'],
  ['is ours', ['flight.db', 'notes.txt'], 'data'],
  ['has what waits for a recorder elsewhere', ['spool-shop'], 'data'],
  ['is ours since a moment: another app of the project is starting', ['interface.starting'], 'data'],
  ['is ours since a moment: a server is starting', ['instance.lock'], 'data'],
  ['is the app’s, with a name near ours', ['spooled.json'], 'flight-recorder-data'],
  ['is the app’s', ['products.json'], 'flight-recorder-data'],
])('is a neighbour where ./data is somebody else’s: it %s', (_, names, expected) => {
  if (names.length > 0) mkdirSync(path.join(folder, 'data'));
  for (const name of names) writeFileSync(path.join(folder, 'data', name), '');
  expect(findDefaultFolder(folder)).toBe(path.join(folder, expected));
});

it('is a folder, or nothing is started', () => {
  writeFileSync(path.join(folder, 'data'), '');
  expect(() => prepareData(path.join(folder, 'data'))).toThrow('is not a folder');
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { findBuiltFolder } from './find-built-folder.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'built-folder-'));
  for (const folder of ['dist/server/assets', 'dist/command']) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, 'dist/server/reference-sources.json'), '{}');
});

afterEach(() => rmSync(root, { recursive: true }));

it.each(['dist/server', 'dist/server/assets', 'dist/command', 'dist'])('is found from %s', (from) => {
  expect(findBuiltFolder('server', 'reference-sources.json', path.join(root, from))).toBe(
    path.join(root, 'dist/server'),
  );
});

it('is said to be missing where there is no build', () => {
  rmSync(path.join(root, 'dist/server/reference-sources.json'));
  expect(() => findBuiltFolder('server', 'reference-sources.json', path.join(root, 'dist/command'))).toThrow(
    'there is no build here',
  );
});

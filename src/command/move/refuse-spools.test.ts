import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { move } from '../move.ts';
import { refuseSpools } from './refuse-spools.ts';

let folder: string;
let file: string;
const url = 'postgres://flight@127.0.0.1:1/flight';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'move-spools-'));
  mkdirSync(path.join(folder, 'unwritten'));
  file = path.join(folder, 'unwritten', '1-a.spool');
});

afterEach(() => rmSync(folder, { recursive: true }));

it('refuses to move past what waits for PostgreSQL, in both directions, and names the files', async () => {
  writeFileSync(file, 'a line');
  await expect(move(['--from', folder, '--to', url])).rejects.toThrow(`wait for PostgreSQL in ${file}: a move`);
  await expect(move(['--from', url, '--to', folder])).rejects.toThrow(file);
  // Each is named once, wherever it is found.
  expect(() => refuseSpools([folder, folder])).toThrow(`in ${file}: a move`);
});

it('goes on where nothing waits: no folder, a lock that is left, a file without content', async () => {
  for (const name of ['1-a.lock', '1-a.spool']) writeFileSync(path.join(folder, 'unwritten', name), '');
  expect(() => refuseSpools([folder, path.join(folder, 'none'), file])).not.toThrow();
  await expect(move(['--from', folder, '--to', url])).rejects.toThrow('There is no flight.db');
});

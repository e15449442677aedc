import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { startFlights } from './start-flights.ts';

const { startRecording } = vi.hoisted(() => ({ startRecording: vi.fn() }));
vi.mock('./recording.ts', () => ({ startRecording }));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-spool-'));
  writeFileSync(path.join(folder, 'package.json'), '{}');
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const recorder = { base: 'http://127.0.0.1:1', app: 'shop', key: 'k'.repeat(32) };
const elsewhere = {
  data: undefined,
  read: () => ({ recorder, browsers: undefined }),
  readPolicy: () => ({ mode: 'all' }) as const,
  unset: { mode: 'all' } as const,
};

it('lets flights for a recorder elsewhere wait in the data folder that was named, which is never committed', async () => {
  const data = path.join(folder, 'deep/data');
  await startFlights({ app: 'shop', beside: elsewhere, data, release: 'b1', isTimed: true });
  const spool = { app: 'shop', folder: path.join(data, 'spool-shop'), shipTo: recorder };
  expect(startRecording).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(spool));
  expect(readFileSync(path.join(data, '.gitignore'), 'utf8')).toBe('*\n');
});

it('says which folder it cannot have', async () => {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const data = path.join(folder, 'package.json/data');
  expect(await startFlights({ app: 'shop', beside: elsewhere, data, release: 'b1', isTimed: true })).toBeUndefined();
  expect(lines.join('')).toContain(`The data folder ${data} cannot be written`);
});

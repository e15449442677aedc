import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { oneFilePlaces, openFlights } from '#flight';

import { runFlightCommand } from './run-flight-command.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'one-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fixtures = path.join(import.meta.dirname, '../../../flight/fixtures');
const payload = path.join(fixtures, 'react-19.3.1-production/values.flight');

function run(...words: readonly string[]): Promise<number> {
  const readTemplate = async () => `<!doctype html>${oneFilePlaces.title}${oneFilePlaces.saved}`;
  return runFlightCommand(['--quiet', ...words], 'flight', readTemplate);
}

async function open(file: string) {
  const opened = await openFlights(readFileSync(file));
  if (opened.kind !== 'flights') throw new Error(opened.reason);
  return opened.flights;
}

test('--html writes the flights with the viewer, and the file is read again', async () => {
  const target = path.join(folder, 'values.html');
  expect(await run('--html', target, payload)).toBe(0);
  const [found] = await open(target);
  expect(found).toMatchObject({
    direction: 'response',
    origin: { kind: 'saved', saved: { facts: [{ name: 'From', value: payload }] } },
    bytes: new Uint8Array(readFileSync(payload)),
  });
  expect(await run(target)).toBe(0);
});

test('--html is no way around a limit, and says when it cannot write', async () => {
  const target = path.join(folder, 'large.html');
  expect(await run('--html', target, '--max-bytes', '10', payload)).toBe(1);
  expect(await open(target)).toHaveLength(1);
  expect(await run('--html', path.join(folder, 'none/such.html'), payload)).toBe(2);
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';

import { expect, it } from 'vitest';

import { flightsFile } from '../writer/open-flights.ts';

/** Adds a flight every few milliseconds, says so, and never stops. Run by Node itself. */
const program = `
const { createWriteFlights } = await import('#src/flights/recorder/write-flights.ts');
const { createBudget } = await import('#src/flights/flight/budget.ts');
const { createDrops } = await import('#src/flights/flight/drops.ts');
const { createSampleHead } = await import('#src/flights/recorder/testing/sample-head.ts');
const data = { folder: process.env.FLIGHT_DATA, bytesLimit: 1e8, ageMs: 1e9 };
const writer = createWriteFlights({ data, budget: createBudget(), drops: createDrops(), hasRoom: () => true, onSending() {}, onWritten() { process.stdout.write('written\\n'); } });
let number = 0;
setInterval(() => {
  number += 1;
  const head = createSampleHead({ requestId: String(number), startedAt: Date.now() });
  const isAdded = writer.add(head, { payload: [Buffer.from('abc')], debug: [], args: new Uint8Array() });
  if (isAdded) process.stdout.write(number + ' ' + Date.now() + '\\n');
}, 5);
`;

it('a crash loses at most the last second', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-crash-'));
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: path.join(import.meta.dirname, '../../..'),
    env: { ...process.env, FLIGHT_DATA: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const added: { readonly number: number; readonly time: number }[] = [];
  /** A writing thread takes its time to start, on a busy machine more than a second. */
  let writesSince = Number.POSITIVE_INFINITY;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'written') {
      writesSince = Math.min(writesSince, Date.now());
      continue;
    }
    const [number = 0, time = 0] = line.split(' ').map(Number);
    added.push({ number, time });
    if (time - writesSince > 2_500) break;
  }
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const end = added.at(-1)?.time ?? 0;
  const database = new DatabaseSync(path.join(folder, flightsFile));
  const kept = new Set(
    database
      .prepare('select request_id from flight')
      .all()
      .map((row) => Number(row['request_id'])),
  );
  expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  database.close();
  rmSync(folder, { recursive: true });
  const old = added.filter(({ time }) => time < end - 1_000);
  expect(old.length).toBeGreaterThan(50);
  expect(old.filter(({ number }) => !kept.has(number))).toEqual([]);
}, 30_000);

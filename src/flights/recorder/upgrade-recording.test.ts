import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect, it, onTestFinished, vi } from 'vitest';

import { latestVersion, upgradeFlights } from '../writer/migrations.ts';
import { flightsFile } from '../writer/open-flights.ts';
import { closeFlightsReader, isOfEarlierVersion, openFlightsReader } from './flights-reader.ts';
import { startRecorder } from './recorder.ts';

it('a recording of an earlier build is upgraded at the start, though there is nothing to write', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-upgrade-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  const earlier = new DatabaseSync(path.join(folder, flightsFile));
  earlier.exec('pragma journal_mode = wal');
  upgradeFlights(earlier, latestVersion - 1);
  earlier.close();
  expect(await isOfEarlierVersion()).toBe(true);
  const stop = await startRecorder();
  onTestFinished(async () => {
    await stop();
    await closeFlightsReader(folder);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  await vi.waitFor(async () => expect(await openFlightsReader()).toBeDefined());
  expect(await isOfEarlierVersion()).toBe(false);
});

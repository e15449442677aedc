import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, vi } from 'vitest';

import { closeFlightsReader } from '../flights-reader.ts';
import { startRecorder } from '../recorder.ts';

/** For tests: each has a recorder that is started, with a data folder of its own. */
export function useRecorder(): void {
  let folder: string;
  let stop: () => Promise<void>;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-'));
    vi.stubEnv('FLIGHT_DATA', folder);
    stop = await startRecorder();
  });

  afterEach(async () => {
    await stop();
    await closeFlightsReader(folder);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
}

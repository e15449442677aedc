import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

/** Checks the numbers in the samples of `deploy/` that starting them in a test would not show. */
const deploy = path.join(import.meta.dirname, '../deploy');
const unit = readFileSync(path.join(deploy, 'flight-recorder.service'), 'utf8');

/** Reads only those of systemd's spellings of a time that the unit uses. */
function readSeconds(name: string): number {
  const [, number = '', unitOfTime = ''] = new RegExp(`^${name}=(\\d+)(min)?$`, 'm').exec(unit) ?? [];
  if (number === '') throw new Error(`The unit has no ${name}`);
  return Number(number) * (unitOfTime === 'min' ? 60 : 1);
}

/** The slowest case: a shared disk of a small machine. */
const slowDiskBytesPerSecond = 5 * 2 ** 20;
/** The default of `FLIGHT_DATA_LIMIT`. */
const largestDatabase = 2 * 2 ** 30;
/** The time that 1.7 GiB took on a fast disk. */
const checkSeconds = 10;

describe('the unit', () => {
  test('lets a start check the largest database on a slow disk', () => {
    expect(readSeconds('TimeoutStartSec')).toBeGreaterThan(2 * (largestDatabase / slowDiskBytesPerSecond));
    expect(unit).not.toMatch(/^WatchdogSec=/m);
    // Killed, out of memory, or too slow: in each case it is started again.
    expect(unit).toMatch(/^Restart=on-failure$/m);
  });

  test('gives up what ends at once, and never what had a database to check or came up', () => {
    const interval = readSeconds('StartLimitIntervalSec');
    const perStart = interval / readSeconds('StartLimitBurst') - readSeconds('RestartSec');
    expect(perStart).toBeLessThan(checkSeconds / 2);
    // Node alone takes a second to start on a busy machine.
    expect(perStart).toBeGreaterThanOrEqual(2);
  });
});

test('the image is not called unhealthy while it checks its database', () => {
  const minutes = /--start-period=(\d+)m /.exec(readFileSync(path.join(deploy, 'Dockerfile'), 'utf8'))?.[1];
  expect(Number(minutes) * 60).toBe(readSeconds('TimeoutStartSec'));
});

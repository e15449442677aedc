import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Listener } from './find-listener.ts';
import { watchServedBuild } from './served-build.ts';

let folder: string;
let found: Listener | undefined;
const findProcess = vi.fn<() => Listener | undefined>(() => found);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-served-'));
  vi.useFakeTimers({ toFake: ['performance'] });
  found = undefined;
  findProcess.mockClear();
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const file = () => path.join(folder, '.next', 'BUILD_ID');

/** @param after the file's time is later than that, though its clock goes in steps. @returns when it was put there */
function build(id: string, after = 0): number {
  mkdirSync(path.dirname(file()), { recursive: true });
  do writeFileSync(file(), id);
  while (statSync(file()).ctimeMs <= after);
  return statSync(file()).ctimeMs;
}

function watch(isDevelopment = false) {
  return watchServedBuild({ folder, isDevelopment, findProcess, isRunning: (one) => one === found });
}

function read({ readRelease, readStartedAt }: ReturnType<typeof watch>) {
  return [readRelease(), readStartedAt()];
}

it('is what lay there when the app listened, and asks nobody as long as nothing came after it', () => {
  build('first');
  const served = watch();
  const before = Date.now();
  expect(served.note()).toBe('first');
  const [release, seenAt] = read(served);
  expect(release).toBe('first');
  expect(seenAt).toBeGreaterThanOrEqual(before);
  rmSync(path.dirname(file()), { recursive: true });
  expect(read(served)).toEqual(['first', seenAt]);
  expect(findProcess).not.toHaveBeenCalled();
});

it('stays while the old process runs, and is the new one after a restart', () => {
  build('first');
  const served = watch();
  served.note();
  const first = read(served);
  found = { pid: 1, started: 1, startedAt: Date.now() - 500 };
  const changed = build('second', Date.now());
  expect(read(served)).toEqual(first);
  found = { pid: 2, started: 2, startedAt: changed + 500 };
  expect(read(served)).toEqual(['second', changed + 500]);
  expect(findProcess).toHaveBeenCalledTimes(2);
  read(served);
  expect(findProcess).toHaveBeenCalledTimes(2);
});

it('is not known where the process cannot be found, and is looked for twice a second', () => {
  build('first');
  const served = watch();
  served.note();
  build('second', Date.now());
  for (let times = 0; times < 5; times += 1) expect(read(served)).toEqual([undefined, 'unknown']);
  expect(findProcess).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(500);
  read(served);
  expect(findProcess).toHaveBeenCalledTimes(2);
});

it('is none where the process started before the build that lies there, and after the one that was seen', () => {
  build('first');
  const served = watch();
  served.note();
  const startedAt = build('second', Date.now());
  found = { pid: 2, started: 2, startedAt };
  build('third', startedAt);
  expect(read(served)).toEqual([undefined, startedAt]);
});

it('is none in development, whose files are made anew', () => {
  const served = watch(true);
  expect(served.note()).toBeUndefined();
  build('beside it', Date.now());
  expect(read(served)).toEqual([undefined, 'remade']);
});

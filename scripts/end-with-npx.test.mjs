import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { endWithNpx } from '../bin/end-with-npx.mjs';

let parent;

beforeEach(() => {
  vi.useFakeTimers();
  parent = 10;
  Object.defineProperty(process, 'ppid', { configurable: true, get: () => parent });
  vi.spyOn(process, 'kill').mockReturnValue(true);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('ends, once, when the shell of npx is gone', () => {
  vi.stubEnv('npm_command', 'exec');
  endWithNpx();
  vi.advanceTimersByTime(2_000);
  expect(process.kill).not.toHaveBeenCalled();
  parent = 1;
  vi.advanceTimersByTime(2_000);
  expect(process.kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGTERM');
});

it.each([undefined, 'run-script'])(
  'stays when it was not started by npx, whatever becomes of its parent: %s',
  (command) => {
    vi.stubEnv('npm_command', command);
    endWithNpx();
    parent = 1;
    vi.advanceTimersByTime(2_000);
    expect(process.kill).not.toHaveBeenCalled();
  },
);

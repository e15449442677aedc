import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, it, onTestFinished } from 'vitest';

import { findListener, isRunning } from './find-listener.ts';

const server =
  "const s = require('node:http').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port))";

/** A process that starts the one that listens, as a supervisor does. */
function supervise() {
  const program = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(server)}], { stdio: 'inherit' })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
  return child;
}

it.runIf(process.platform === 'linux')('finds what listens, and since when it runs', async () => {
  const before = Date.now();
  const child = supervise();
  const [line]: unknown[] = await once(child.stdout, 'data');
  const port = Number(String(line));
  const found = findListener(port, process.pid);
  expect(found?.pid).not.toBe(child.pid);
  // The system counts in hundredths of a second.
  expect(found?.startedAt).toBeGreaterThan(before - 1_000);
  expect(found?.startedAt).toBeLessThan(Date.now());
  expect(findListener(port, child.pid ?? 0)).toMatchObject({ pid: found?.pid });
  expect(found && isRunning(found)).toBe(true);
  expect(found && isRunning({ ...found, started: found.started - 1 })).toBe(false);
  expect(findListener(port, found?.pid ?? 0)?.pid).toBe(found?.pid);
});

it('finds none of others, and none that does not listen', async () => {
  const child = supervise();
  const [line]: unknown[] = await once(child.stdout, 'data');
  const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)']);
  onTestFinished(() => void other.kill('SIGKILL'));
  expect(findListener(Number(String(line)), other.pid ?? 0)).toBeUndefined();
  expect(findListener(1, process.pid)).toBeUndefined();
});

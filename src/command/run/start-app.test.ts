import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import { afterEach, expect, it, vi } from 'vitest';

import { chooseColours, findLocalCommands } from './start-app.ts';

const tty = { stdout: process.stdout.isTTY, stderr: process.stderr.isTTY };

function setTerminal(stdout: boolean, stderr: boolean, depth: number): void {
  process.stdout.isTTY = stdout;
  process.stderr.isTTY = stderr;
  // A pipe has no such method.
  process.stdout.getColorDepth = () => depth;
}

afterEach(() => {
  process.stdout.isTTY = tty.stdout;
  process.stderr.isTTY = tty.stderr;
  Reflect.deleteProperty(process.stdout, 'getColorDepth');
  vi.restoreAllMocks();
});

it.each([
  [true, true, 24, {}, { FORCE_COLOR: '3' }],
  [true, true, 8, {}, { FORCE_COLOR: '2' }],
  [true, true, 4, {}, { FORCE_COLOR: '1' }],
  [true, true, 1, {}, {}],
  [true, false, 24, {}, {}],
  [false, true, 24, {}, {}],
  [true, true, 24, { NO_COLOR: '' }, {}],
  [true, true, 24, { FORCE_COLOR: '0' }, {}],
])('with terminals %s, %s of %i bits and %j it adds %j', (stdout, stderr, depth, env, added) => {
  setTerminal(stdout, stderr, depth);
  expect(chooseColours(env)).toEqual(added);
});

it('ends the app where a fault of ours ends this process', async () => {
  const script = `
    import { writeSync } from 'node:fs';
    import { startApp } from ${JSON.stringify(path.join(import.meta.dirname, 'start-app.ts'))};
    const command = [process.execPath, '-e', 'console.log(process.pid); setInterval(() => {}, 1e3)'];
    startApp({ command, env: process.env, onOutput(_, chunk) { writeSync(1, chunk); throw new Error('a fault of ours'); } }, () => {});
  `;
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: [...stdio] });
  const [printed]: unknown[] = await once(child.stdout ?? child, 'data');
  await once(child, 'exit');
  const pid = Number(String(printed));
  expect(pid).toBeGreaterThan(1);
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 10_000 });
});

it('looks for commands where a package’s scripts do', () => {
  const folder = path.join(path.sep, 'work', 'shop');
  expect(findLocalCommands(folder)).toEqual(
    ['work/shop', 'work', ''].map((each) => path.join(path.sep, each, 'node_modules', '.bin')),
  );
});

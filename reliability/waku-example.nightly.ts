import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { findFreePort } from './testing/start-server.ts';
import { environmentFor, packRecorder, readDigestIn, run } from './testing/waku-app.ts';

/**
 * examples/waku as its README says: the packed tarball two folders above it, `npm install`, `npm start`, `npm test`. In a copy, so
 * that nothing of this repository is found from there.
 */
const root = path.join(import.meta.dirname, '..');
const copy = mkdtempSync(path.join(tmpdir(), 'flight-recorder-example-'));
const folder = path.join(copy, 'examples/waku');

/** What somebody has left there who has tried it in the clone. */
const leftovers = new Set(['node_modules', 'dist', 'data', 'test-results', 'pages.gen.ts']);

beforeAll(() => {
  const tarball = packRecorder();
  renameSync(tarball, path.join(copy, path.basename(tarball)));
  rmSync(path.dirname(tarball), { recursive: true });
  cpSync(path.join(root, 'examples/waku'), folder, {
    recursive: true,
    filter: (file) => !leftovers.has(path.basename(file)),
  });
  run(folder, 'npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline');
}, 600_000);

afterAll(() => rmSync(copy, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

/** `npm start`, npm and its shell with what they started: a signal to npm alone leaves the app running. */
async function startExample(): Promise<{
  readonly port: number;
  readonly origin: string;
  readonly output: () => string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}> {
  const port = await findFreePort();
  const child = spawn('npm', ['start', '--', '--port', String(port)], {
    cwd: folder,
    env: environmentFor({}),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)));
  const closed = once(child, 'close');
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    output: () => printed,
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
      await closed;
    },
  };
}

async function readStatus(url: string): Promise<number> {
  try {
    const response = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html' } });
    await response.text();
    return response.status;
  } catch {
    return 0;
  }
}

test('`npm start` builds it, and prints the addresses of page and recorder', async () => {
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
  await using example = await startExample();
  const { port, origin, output } = example;
  await expect.poll(() => readStatus(origin), { timeout: 60_000 }).toBe(200);
  await expect.poll(() => readStatus(`${origin}/_flight/login`), { timeout: 60_000 }).toBe(200);
  expect(output()).toContain(`Listening on ${origin}`);
  await expect.poll(output, { timeout: 10_000 }).toContain(`the interface is at http://localhost:${port}/_flight`);
  expect(await (await fetch(origin)).text()).toContain('Guest book');
  const broken = await fetch(`${origin}/broken/on-the-server`, { headers: { accept: 'text/html' } });
  expect(broken.status).toBe(500);
  expect(readDigestIn(await broken.text())).toHaveLength(10);
  expect(existsSync(path.join(folder, 'data/flight.db'))).toBe(true);
}, 180_000);

test('`npm test` passes', () => {
  expect(run(folder, 'npm', 'test')).toMatch(/Tests\s+5 passed/);
}, 180_000);

test('its types are right', () => {
  run(folder, 'npx', '--no-install', 'tsc', '-p', '.');
}, 120_000);

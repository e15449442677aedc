import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { type RunningServer, startServer, StartFailure } from './testing/start-server.ts';

let dataFolder: string;

beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-instance-'));
});

afterEach(() => rmSync(dataFolder, { recursive: true }));

async function failToStart(): Promise<StartFailure> {
  try {
    await using server: RunningServer = await startServer({ dataFolder });
    throw new Error(`It listens on ${server.port}`);
  } catch (error) {
    if (error instanceof StartFailure) return error;
    throw error;
  }
}

function hashFiles(): Record<string, string> {
  const names = readdirSync(dataFolder).filter((name) => name.startsWith('flight'));
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(dataFolder, name)))
        .digest('hex'),
    ]),
  );
}

test('a second server on the same data refuses within 2 s and names the first, which goes on', async () => {
  await using first = await startServer({ dataFolder });
  const begin = performance.now();
  const { exit, output } = await failToStart();
  expect(performance.now() - begin).toBeLessThan(2_000);
  expect(exit).toEqual({ code: 1, signal: null });
  expect(output).toMatch(
    /^flight-recorder: The data folder .* is in use by the server with process id \d+ at http:\/\/127\.0\.0\.1:\d+, running since 2\S+Z\. Stop it first, or set FLIGHT_DATA to another folder\.$/,
  );
  expect(output).toContain(`process id ${first.pid} at ${first.origin},`);
  expect((await fetch(`${first.origin}/healthz`)).status).toBe(200);
});

test('after a kill the next start works at once, and after a stop too', async () => {
  await using killed = await startServer({ dataFolder });
  await killed.end('SIGKILL');
  await using second = await startServer({ dataFolder });
  expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(JSON.parse(readFileSync(path.join(dataFolder, 'instance.json'), 'utf8'))).toMatchObject({ state: 'stopped' });
  await using third = await startServer({ dataFolder });
  expect(third.pid).not.toBe(second.pid);
});

test('what a killed server leaves is refused when it is damaged: one line, status 1, no byte changed', async () => {
  await using killed = await startServer({ dataFolder });
  await killed.end('SIGKILL');
  truncateSync(path.join(dataFolder, 'flight.db'), 0);
  const before = hashFiles();
  const { exit, output } = await failToStart();
  expect(exit).toEqual({ code: 1, signal: null });
  expect(output).toMatch(/^flight-recorder: The database .*flight\.db is empty \(0 bytes\).* Restore a backup .*$/);
  expect(hashFiles()).toEqual(before);
});

test('the data folder and everything in it are their owner’s alone, whatever the umask', async () => {
  rmSync(dataFolder, { recursive: true });
  await using server = await startServer({ dataFolder });
  expect((await fetch(`${server.origin}/runtime`)).status).toBe(200);
  expect(statSync(dataFolder).mode & 0o777).toBe(0o700);
  const names = readdirSync(dataFolder);
  expect(names).toContain('flight.db-wal');
  expect(names.filter((name) => statSync(path.join(dataFolder, name)).mode & 0o077)).toEqual([]);
  expect(server.lines().filter((line) => line.event !== 'text')).toEqual([]);
});

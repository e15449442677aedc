import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { tunnelPath } from '../src/server/http/addresses.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';
import { createWorstReport } from './testing/worst-report.ts';

const run = promisify(execFile);
const env = { FLIGHT_DATA_LIMIT: '16MiB', RECORD: 'off' };
/** Generous: a look-up waits for the record, and a slow machine is no fault. */
const storedWithinMs = 20_000;
/** The longest from a restart on a full database until errors are stored again. */
const recoveredWithinMs = 30_000;

let dataFolder: string;

beforeEach(() => {
  dataFolder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-budget-'));
});

afterEach(() => rmSync(dataFolder, { recursive: true }));

async function fill(kind: 'errors' | 'reports', count: number, limit = env.FLIGHT_DATA_LIMIT): Promise<number> {
  const child = path.join(import.meta.dirname, 'testing/fill-child.ts');
  const environment = { ...process.env, FLIGHT_DATA: dataFolder, FLIGHT_DATA_LIMIT: limit };
  const { stdout } = await run(process.execPath, [child, kind, String(count)], { env: environment });
  return Number(stdout);
}

/** @param visitor each has its own address, since the tunnel counts by address */
function postWorst(port: number, visitor: number): Promise<number> {
  const body = createWorstReport();
  const headers = { host: `127.0.0.1:${port}`, 'content-length': String(body.length) };
  const to = { host: '127.0.0.1', port, localAddress: `127.0.1.${visitor + 1}`, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, method: 'POST', path: tunnelPath, headers }, (response) => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });
}

/** @returns the digest of the page's error */
async function fail(server: RunningServer): Promise<string> {
  const before = server.lines().length;
  expect((await fetch(`${server.origin}/lab/throw-before-shell`)).status).toBe(500);
  const line = await server.waitForLine((one) => one.event === 'server-error' && server.lines().indexOf(one) >= before);
  return String(line.fields['digest']);
}

async function isFound(server: RunningServer, digest: string): Promise<boolean> {
  const response = await fetch(`${server.origin}/digest/${digest}`);
  await response.body?.cancel();
  return response.status === 200;
}

async function isStored(server: RunningServer, digest: string): Promise<boolean> {
  const deadline = performance.now() + storedWithinMs;
  while (performance.now() < deadline) {
    if (await isFound(server, digest)) return true;
    await wait(20);
  }
  return false;
}

async function isReady(server: RunningServer): Promise<boolean> {
  return (await fetch(`${server.origin}/readyz`)).status === 200;
}

/** Checks that an error is stored, and that readiness said so before. */
async function expectStoring(server: RunningServer): Promise<string> {
  const ready = await isReady(server);
  const digest = await fail(server);
  expect({ ready, stored: await isStored(server, digest) }).toEqual({ ready: true, stored: true });
  return digest;
}

async function listLost(server: RunningServer, digests: readonly string[]): Promise<string[]> {
  const lost: string[] = [];
  for (const digest of digests) if (!(await isFound(server, digest))) lost.push(digest);
  return lost;
}

test('a flood of the largest reports takes no error away and keeps none out, before and after a restart', async () => {
  const digests: string[] = [];
  await using first = await startServer({ dataFolder, env });
  for (let count = 0; count < 20; count += 1) digests.push(await fail(first));
  await first.end('SIGTERM');
  await fill('reports', 100);

  await using second = await startServer({ dataFolder, env });
  digests.push(await expectStoring(second));
  const statuses = new Set<number>();
  for (let visitor = 0; visitor < 30; visitor += 1) {
    statuses.add(await postWorst(second.port, visitor));
    if (visitor % 10 === 0) digests.push(await expectStoring(second));
  }
  // Most are refused because there is no room. Some may reach the tunnel's rate limit.
  expect([...statuses].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  digests.push(await expectStoring(second));
  expect(await listLost(second, digests)).toEqual([]);
  await second.end('SIGTERM');

  await using third = await startServer({ dataFolder, env });
  digests.push(await expectStoring(third));
  expect(await listLost(third, digests)).toEqual([]);
  const page = await (await fetch(third.origin)).text();
  expect(page).toContain('thrown on purpose before the shell');
});

test('a start on a database above its limit: errors are stored within seconds, and readiness says since when', async () => {
  expect(await fill('errors', 2_500, '64MiB')).toBe(2_500);
  await using server = await startServer({ dataFolder, env });
  const deadline = performance.now() + recoveredWithinMs;
  for (;;) {
    const ready = await isReady(server);
    const stored = await isStored(server, await fail(server));
    // Between the two, room may be made but never lost.
    if (ready) expect(stored).toBe(true);
    if (ready) break;
    expect(performance.now()).toBeLessThan(deadline);
  }
  await expectStoring(server);
});

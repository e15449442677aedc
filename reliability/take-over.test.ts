import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

import { readInstance } from '#src/store/instance-file.ts';

import { startCommand, type RunningCommand } from './testing/run-command.ts';
import { findFreePort } from './testing/start-server.ts';

/**
 * Several apps on one data folder, and the `run` that owns the interface goes: another one has the interface at the same address,
 * and what the apps told meanwhile is there.
 */
const command = path.join(import.meta.dirname, '../dist/command.js');
/** What is promised, on a machine that has nothing else to do. */
const promisedMs = 5_000;
/** Others may use the machine meanwhile. */
const patienceMs = 20_000;

const appSource = `
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  const [, digest] = /^\\/fail\\/(\\d+)$/.exec(request.url) ?? [];
  if (digest) console.error("⨯ Error: It broke " + digest + "\\n    at page (" + import.meta.filename + ":7:9) {\\n  digest: '" + digest + "'\\n}");
  response.statusCode = digest ? 500 : 200;
  response.end();
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('the app listens as ' + process.pid));
process.on('SIGTERM', () => process.exit(0));
`;

let scratch: string;
let folder: string;

beforeAll(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'flight-take-over-'));
  writeFileSync(path.join(scratch, 'app.mjs'), appSource);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type App = { readonly name: string; readonly port: number; readonly running: RunningCommand };

function start(args: readonly string[]): RunningCommand {
  const { VITEST: _vitest, NODE_OPTIONS: _options, BASE_URL: _url, FLIGHT_DATA: _data, ...env } = process.env;
  return startCommand(process.execPath, [command, ...args], { cwd: scratch, env });
}

/** A killed `run` leaves its app. */
function endLater(pid: number): void {
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended with its `run`.
    }
  });
}

async function startRun(name: string, uiPort: number): Promise<App> {
  const port = await findFreePort();
  const options = ['--port', String(port), '--ui-port', String(uiPort), '--data', folder, '--app', name];
  const running = start(['run', ...options, '--', process.execPath, 'app.mjs']);
  const [, pid] = await running.waitFor(/^the app listens as (\d+)$/m);
  endLater(Number(pid));
  return { name, port, running };
}

async function isServed(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function fail({ port }: App, digest: string): Promise<void> {
  expect((await fetch(`http://127.0.0.1:${port}/fail/${digest}`)).status).toBe(500);
}

function readErrors(): readonly string[] {
  const database = new DatabaseSync(path.join(folder, 'flight.db'), { readOnly: true });
  try {
    const rows = database
      .prepare(`select app, digest from event where side = 'server' and digest is not null order by app, digest`)
      .all();
    return rows.map(({ app, digest }) => `${String(app)} ${String(digest)}`);
  } finally {
    database.close();
  }
}

/** @returns how long the address was without an interface after `since`, in milliseconds */
async function untilServed(port: number, since: number): Promise<number> {
  await vi.waitFor(async () => expect(await isServed(port)).toBe(true), { timeout: patienceMs, interval: 25 });
  return performance.now() - since;
}

function makeFolder(): void {
  folder = mkdtempSync(path.join(scratch, 'data-'));
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'has the interface at the same address after %s of the run that owned it, with every error',
  async (signal) => {
    makeFolder();
    const uiPort = await findFreePort();
    const first = await startRun('first', uiPort);
    await using owner = first.running;
    const second = await startRun('second', await findFreePort());
    await using other = second.running;
    expect(other.errors()).toContain(`  The recorder  http://127.0.0.1:${uiPort} (it runs already)\n`);
    await fail(first, '1000000001');
    await fail(second, '2000000001');
    await vi.waitFor(() => expect(readErrors()).toHaveLength(2), 10_000);

    owner.signal(signal);
    await owner.exited;
    const endedAt = performance.now();
    for (let told = 2; told <= 9; told += 1) {
      await fail(second, `200000000${told}`);
      await pause(100);
    }
    const awayMs = await untilServed(uiPort, endedAt);
    console.info(`${signal}: the interface was back ${Math.round(awayMs)} ms after the end of the run that owned it`);
    await vi.waitFor(() => expect(readErrors()).toHaveLength(10), 30_000);
    const told = Array.from({ length: 9 }, (_, index) => `second 200000000${index + 1}`);
    expect(readErrors()).toEqual(['first 1000000001', ...told]);
    await other.waitFor(
      new RegExp(`^flight-recorder: the interface goes on at http://127\\.0\\.0\\.1:${uiPort}$`, 'm'),
    );
    other.signal('SIGTERM');
    expect(await other.exited).toBe(0);
    expect(await isServed(uiPort)).toBe(false);
    if (process.env['CI'] === undefined) expect(awayMs).toBeLessThan(promisedMs);
  },
);

test('goes on with the interface of a run where only a proxy is left, at the same address', async () => {
  makeFolder();
  const [uiPort, proxyPort] = [await findFreePort(), await findFreePort()];
  const first = await startRun('first', uiPort);
  await using owner = first.running;
  const address = ['--to', `http://127.0.0.1:${first.port}`, '--port', String(proxyPort)];
  await using proxy = start(['proxy', ...address, '--data', folder, '--app', 'behind']);
  await proxy.waitFor(/The recording/);
  await fetch(`http://127.0.0.1:${proxyPort}/`);
  owner.signal('SIGTERM');
  await owner.exited;
  await proxy.waitFor(new RegExp(`^flight-recorder: the interface goes on at http://127\\.0\\.0\\.1:${uiPort}$`, 'm'));
  expect(await isServed(uiPort)).toBe(true);
  proxy.signal('SIGTERM');
  expect(await proxy.exited).toBe(0);
  expect([await isServed(uiPort), readInstance(folder)?.state]).toEqual([false, 'stopped']);
});

test('is started again at the same address when it is killed itself', async () => {
  makeFolder();
  const uiPort = await findFreePort();
  const { running } = await startRun('first', uiPort);
  await using owner = running;
  process.kill(readInstance(folder)?.pid ?? 0, 'SIGKILL');
  await owner.waitFor(/the interface was ended by SIGKILL; it is started again in 0\.5 s, and the app goes on/);
  await owner.waitFor(new RegExp(`the interface goes on at http://127\\.0\\.0\\.1:${uiPort}`));
  expect(await isServed(uiPort)).toBe(true);
});

import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { type Posted, postReport, readReportIds } from './testing/post-report.ts';
import { type RunningServer, startServer } from './testing/start-server.ts';

/** Room for the reserve (16 MiB) and for a log of 8 MiB. The server makes the reserve when twice its size is free. */
const diskMebibytes = 48;
const recoveryDeadlineMs = 20_000;

let folder: string;

function runTool(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function mountDisk(): boolean {
  return runTool('mount', '-t', 'tmpfs', '-o', `size=${diskMebibytes}m,mode=700`, 'tmpfs', folder);
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-full-'));
});

afterEach(() => {
  runTool('umount', folder);
  rmSync(folder, { recursive: true });
});

/** Writes until there is no byte left. */
function fillDisk(ballast: string): void {
  const handle = openSync(ballast, 'a');
  try {
    for (let size = 1024 * 1024; size >= 512;) {
      try {
        writeSync(handle, Buffer.alloc(size));
      } catch {
        size /= 2;
      }
    }
  } finally {
    closeSync(handle);
  }
}

let visitor = 0;

async function postUntil(server: RunningServer, wanted: (posted: Posted) => boolean): Promise<Posted[]> {
  const all: Posted[] = [];
  const deadline = performance.now() + recoveryDeadlineMs;
  while (performance.now() < deadline) {
    // Each request is another visitor's: only the disk must refuse it here, not a limit per visitor.
    visitor = (visitor + 1) % 250;
    const posted = await postReport(server.port, visitor, 'x'.repeat(4_000));
    all.push(posted);
    if (wanted(posted)) return all;
    if (posted.status !== 200) await wait(200);
  }
  throw new Error(`It did not come to that: ${JSON.stringify(all.slice(-3))}`);
}

function listStored(posted: readonly Posted[]): string[] {
  return posted.filter(({ status }) => status === 200).map(({ id }) => id);
}

/** Makes a link as `operator login-link` does, which also is another process. */
function makeLoginLink(dataFolder: string): string {
  const secret = randomBytes(32).toString('base64url');
  const database = new DatabaseSync(path.join(dataFolder, 'flight.db'), { timeout: 1_000 });
  const now = Date.now();
  database
    .prepare('insert into login_link (id, created, expires, used) values (?, ?, ?, null)')
    .run(createHash('sha256').update(secret).digest('hex'), now, now + 60_000);
  database.close();
  return secret;
}

async function submit(server: RunningServer, to: string, body: string, cookie = ''): Promise<Response> {
  const headers = { origin: server.origin, 'content-type': 'application/x-www-form-urlencoded', cookie };
  return fetch(`${server.origin}${to}`, { method: 'POST', headers, body, redirect: 'manual' });
}

test('with the disk full: reports get 503, pages, signing in and out work, and room is enough to go on', async (context) => {
  if (!mountDisk()) context.skip('a small disk can only be mounted by root');
  const dataFolder = path.join(folder, 'data');
  const ballast = path.join(folder, 'ballast');
  const reserve = path.join(dataFolder, 'reserve');
  await using server = await startServer({ dataFolder, env: { FLIGHT_AUTH: 'on', RECORD: 'all' } });
  expect(statSync(reserve).size).toBe(16 * 1024 * 1024);
  const before = await postUntil(server, ({ status }) => status === 200);
  const secret = makeLoginLink(dataFolder);

  fillDisk(ballast);
  const during = await postUntil(server, ({ status }) => status !== 200);
  expect(during.at(-1)).toMatchObject({ status: 503, retryAfter: '10' });
  // Another program takes the room that the reserve freed, except for what signing in needs.
  const signedIn = await submit(server, '/login', `code=${secret}`);
  expect(signedIn.status).toBe(303);
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const page = await fetch(`${server.origin}/runtime`, { headers: { cookie } });
  expect([page.status, (await page.text()).includes('</html>')]).toEqual([200, true]);
  // An error of the server itself is answered and logged as always, though it cannot be kept.
  const failed = await fetch(`${server.origin}/lab/throw-before-shell`, { headers: { cookie } });
  expect(failed.status).toBe(500);
  await server.waitForLine(({ event }) => event === 'server-error');
  const unstored = await server.waitForLine(({ event }) => event === 'error-not-stored');
  // The page of its digest says where the error is.
  const digest = String(unstored.fields['digest']);
  const told = await fetch(`${server.origin}/digest/${digest.slice(0, 5)}-${digest.slice(5)}`, { headers: { cookie } });
  expect([told.status, (await told.text()).includes('This error is in the server’s log alone')]).toEqual([200, true]);
  // What is recorded meanwhile must not take the room that was made for this.
  await server.waitForLine(
    ({ event, fields }) => event === 'flights-not-written' && fields['reason'] === 'the disk is full',
  );
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(503);
  expect((await submit(server, '/logout', '', cookie)).status).toBe(303);
  const signedOut = await fetch(`${server.origin}/runtime`, { headers: { cookie }, redirect: 'manual' });
  expect(signedOut.status).not.toBe(200);
  const still = await postReport(server.port, 251);
  expect(still.status).toBe(503);

  rmSync(ballast);
  const after = await postUntil(server, ({ status }) => status === 200);
  expect(existsSync(reserve)).toBe(true);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  const stored = readReportIds(path.join(dataFolder, 'flight.db'));
  expect(listStored([...before, ...during, ...after]).filter((id) => !stored.has(id))).toEqual([]);
});

test.for(['SIGTERM', 'SIGKILL'] as const)(
  'a start on a full disk after %s works, and takes no reports until there is room',
  async (signal, context) => {
    if (!mountDisk()) context.skip('a small disk can only be mounted by root');
    const dataFolder = path.join(folder, 'data');
    const ballast = path.join(folder, 'ballast');
    await using first = await startServer({ dataFolder });
    await first.end(signal);
    fillDisk(ballast);
    await using second = await startServer({ dataFolder });
    fillDisk(ballast);
    expect((await fetch(`${second.origin}/runtime`)).status).toBe(200);
    expect((await postReport(second.port, 0)).status).toBe(503);
    rmSync(ballast);
    await postUntil(second, ({ status }) => status === 200);
    expect(existsSync(path.join(dataFolder, 'reserve'))).toBe(true);
  },
);

test('where a file may not grow: reports get 503, pages are read, and it ends with the limit', async (context) => {
  if (!runTool('prlimit', '--version')) context.skip('there is no prlimit here');
  await using server = await startServer();
  const before = await postUntil(server, ({ status }) => status === 200);
  expect(runTool('prlimit', `--pid=${server.pid}`, '--fsize=65536:')).toBe(true);
  const during = await postUntil(server, ({ status }) => status !== 200);
  expect(during.at(-1)?.status).toBe(503);
  expect((await fetch(`${server.origin}/runtime`)).status).toBe(200);
  expect(runTool('prlimit', `--pid=${server.pid}`, '--fsize=unlimited:')).toBe(true);
  const after = await postUntil(server, ({ status }) => status === 200);
  await server.end('SIGTERM');
  const stored = readReportIds(path.join(server.dataFolder, 'flight.db'));
  expect(listStored([...before, ...during, ...after]).filter((id) => !stored.has(id))).toEqual([]);
});

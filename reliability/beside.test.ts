import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as startRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { isRecord } from '#boundary';
import { readInstance } from '#src/store/instance-file.ts';
import { mountInterface } from '#src/waku/mount/mount-interface.ts';

/**
 * A real app in a process of its own, with the interface beside it: what is left when one of the two is killed, who takes over, and
 * what passes through the app to the interface and back.
 */
const mount = '/_flight';
const script = path.join(import.meta.dirname, 'testing/beside-child.ts');
const built = path.join(import.meta.dirname, '../dist/mounted');

let scratch: string;
let copy: string;

beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'flight-beside-'));
  copy = path.join(scratch, 'interface');
  await mountInterface({ from: built, to: copy, mount });
});

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

type App = {
  readonly port: number;
  readonly child: ChildProcess;
  /** Every line that it wrote to standard error. */
  readonly lines: () => readonly string[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

type Options = {
  /** The project's folder, with its `data`. */
  readonly folder: string;
  readonly mode?: 'production' | 'development';
  readonly app?: string;
  readonly env?: Readonly<Record<string, string>>;
};

function createProject(): string {
  const folder = mkdtempSync(path.join(scratch, 'project-'));
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "shop" }');
  return folder;
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function startApp({ folder, mode = 'production', app = 'shop', env = {} }: Options): Promise<App> {
  const { VITEST: _vitest, NODE_OPTIONS: _options, BASE_URL: _url, PORT: _port, ...inherited } = process.env;
  const child = fork(script, [copy, mount, app, mode], {
    cwd: folder,
    env: { ...inherited, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(isRecord(message) ? Number(message['port']) : 0));
    child.once('exit', () => reject(new Error(text)));
  });
  return {
    port,
    child,
    lines: () => text.split('\n').filter(Boolean),
    async [Symbol.asyncDispose]() {
      if (!isGone(child)) child.kill('SIGKILL');
      await untilServerIsGone(folder);
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function findPid(folder: string): number | undefined {
  const instance = readInstance(path.join(folder, 'data'));
  return instance?.state === 'running' && isAlive(instance.pid) ? instance.pid : undefined;
}

async function untilServerIsGone(folder: string): Promise<void> {
  await vi.waitFor(() => expect(findPid(folder)).toBeUndefined(), { timeout: 20_000, interval: 50 });
}

type Answer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: string };

/** As a browser's own navigation, on a connection of its own. */
async function ask(
  port: number,
  at: string,
  more: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const { method = 'GET', headers = {}, body } = more;
  return new Promise<Answer>((resolve, reject) => {
    const asked = { accept: 'text/html', host: `localhost:${port}`, ...headers };
    const request = startRequest({ host: '127.0.0.1', port, path: at, method, headers: asked, agent: false });
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on('error', reject);
    });
    request.end(body);
  });
}

async function untilUp(app: App): Promise<void> {
  const look = async () => expect((await ask(app.port, `${mount}/login`)).status).toBe(200);
  await vi.waitFor(look, { timeout: 30_000, interval: 100 });
}

async function readKnown(app: App): Promise<Record<string, unknown>> {
  const known: unknown = JSON.parse((await ask(app.port, '/known')).body);
  if (!isRecord(known)) throw new Error('the app knows nothing');
  return known;
}

it('delays no answer of the app, and says what is starting', async () => {
  const folder = createProject();
  await using app = await startApp({ folder });
  expect((await ask(app.port, '/')).body).toBe('app');
  const early = await ask(app.port, mount);
  expect([early.status, early.headers['retry-after']]).toEqual([503, '1']);
  expect(early.body).toContain('http-equiv="refresh"');
  await untilUp(app);
  expect(readFileSync(path.join(folder, 'data/.gitignore'), 'utf8')).toBe('*\n');
  const known = await readKnown(app);
  expect(known).toMatchObject({ policy: { mode: 'errors' }, recorder: { app: 'shop', key: expect.any(String) } });
  expect(app.lines()).toEqual([expect.stringContaining('for a login link: npx flight-recorder login-link')]);
});

it('goes on when the interface is killed under requests, and the interface comes again', async () => {
  const folder = createProject();
  await using app = await startApp({ folder });
  await untilUp(app);
  const before = await readKnown(app);
  const pid = findPid(folder) ?? 0;
  const asked = Array.from({ length: 40 }, () =>
    ask(app.port, `${mount}/login`).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  process.kill(pid, 'SIGKILL');
  const statuses = await Promise.all(asked);
  // Answered, told that it is starting, or broken off in the middle.
  expect(statuses.every((status) => [200, 503, 0].includes(status))).toBe(true);
  expect((await ask(app.port, '/')).body).toBe('app');
  await untilUp(app);
  expect(findPid(folder)).not.toBe(pid);
  // Who has its address goes on.
  expect(await readKnown(app)).toEqual(before);
  const said = 'the interface was ended by SIGKILL; it is started again in 0.5 s, and the app goes on';
  expect(app.lines().filter((line) => line.includes(said))).toHaveLength(1);
  expect(app.lines()).toHaveLength(3);
});

it.each(['SIGKILL', 'SIGTERM'] as const)('ends with the app, when that ends by %s', async (signal) => {
  const folder = createProject();
  await using app = await startApp({ folder });
  await untilUp(app);
  const pid = findPid(folder) ?? 0;
  app.child.kill(signal);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 15_000, interval: 50 });
  expect(readInstance(path.join(folder, 'data'))?.state).toBe('stopped');
});

it('is one for two apps on one folder, and the second starts it when the first has ended', async () => {
  const folder = createProject();
  await using shop = await startApp({ folder });
  await using blog = await startApp({ folder, app: 'blog' });
  await Promise.all([untilUp(shop), untilUp(blog)]);
  const pid = findPid(folder) ?? 0;
  const [ofShop, ofBlog] = [await readKnown(shop), await readKnown(blog)];
  expect([ofShop, ofBlog]).toMatchObject([{ recorder: { app: 'shop' } }, { recorder: { app: 'blog' } }]);
  const owner = shop.lines().length > 0 ? shop : blog;
  const other = owner === shop ? blog : shop;
  expect(other.lines()).toEqual([]);
  owner.child.kill('SIGKILL');
  await vi.waitFor(() => expect([undefined, pid]).not.toContain(findPid(folder)), { timeout: 20_000, interval: 50 });
  await untilUp(other);
  expect(other.lines()).toEqual([expect.stringContaining('the interface is at')]);
});

it('is open without a login in development at this machine, by its own names alone', async () => {
  const folder = createProject();
  await using app = await startApp({ folder, mode: 'development' });
  await untilUp(app);
  const flights = `${mount}/flights`;
  expect((await ask(app.port, flights)).status).toBe(200);
  for (const headers of [{ host: `evil.example:${app.port}` }, { 'x-forwarded-for': '127.0.0.1' }]) {
    const { status, headers: told } = await ask(app.port, flights, { headers });
    expect([status, told.location]).toEqual([303, `${mount}/login?next=${encodeURIComponent(flights)}`]);
  }
  // Whoever connects to the interface itself is a stranger, whatever they say.
  const port = readInstance(path.join(folder, 'data'))?.address.port ?? 0;
  const guessed = { 'x-flight-visitor': 'guessed http 127.0.0.1 local' };
  expect((await ask(port, flights, { headers: guessed })).status).toBe(303);
  expect((await readKnown(app))['policy']).toEqual({ mode: 'all' });
});

it('is closed in production, and a login link lets in by the name of the app', async () => {
  const folder = createProject();
  const env = { FLIGHT_BASE_URL: 'https://shop.example' };
  await using app = await startApp({ folder, env });
  await untilUp(app);
  for (const at of [mount, `${mount}/flights`, `${mount}/lab`, `${mount}/operator`]) {
    expect((await ask(app.port, at)).status).toBe(303);
  }
  for (const at of [`${mount}/readyz`, `${mount}/healthz`]) expect((await ask(app.port, at)).status).toBe(404);
  const { stdout } = await runLoginLink(folder);
  expect(stdout).toMatch(/^https:\/\/shop\.example\/_flight\/login#/);
  const headers = {
    host: 'internal:8080',
    origin: 'https://shop.example',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = `code=${stdout.trim().split('#')[1]}`;
  const signedIn = await ask(app.port, `${mount}/login`, { method: 'POST', headers, body });
  expect(signedIn.status).toBe(303);
  const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^__Secure-flight=.*Path=\/_flight;.*Secure/);
  const session = { host: 'internal:8080', cookie: cookie.split(';')[0] ?? '' };
  expect((await ask(app.port, `${mount}/flights`, { headers: session })).status).toBe(200);
  expect((await ask(app.port, `${mount}/readyz`, { headers: session })).status).toBe(200);
  const foreign = { ...headers, ...session, origin: 'https://evil.example' };
  expect((await ask(app.port, `${mount}/flights`, { method: 'POST', headers: foreign, body: 'x' })).status).toBe(403);
});

async function runLoginLink(folder: string): Promise<{ readonly stdout: string }> {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const command = path.join(import.meta.dirname, '../dist/command.js');
  return promisify(execFile)(process.execPath, [command, 'login-link'], { cwd: folder });
}

it('answers 200 requests at once, and nothing is left of those that are given up', async () => {
  const folder = createProject();
  await using app = await startApp({ folder, mode: 'development' });
  await untilUp(app);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const all = Array.from({ length: 200 }, () => get(app.port, `${mount}/login`, agent));
  const statuses = await Promise.all(all);
  // It turns away what is too much for it, and says so itself.
  expect(new Set(statuses)).toEqual(new Set([200]));
  agent.destroy();
  for (let round = 0; round < 50; round += 1) {
    const request = startRequest({ host: '127.0.0.1', port: app.port, path: `${mount}/flights`, agent: false });
    request.on('error', () => undefined).end();
    await pause(round % 10);
    request.destroy();
  }
  const port = readInstance(path.join(folder, 'data'))?.address.port ?? 0;
  await vi.waitFor(() => expect(countConnections(port)).toBeLessThanOrEqual(2), { timeout: 15_000, interval: 200 });
  expect(app.lines()).toHaveLength(1);
});

async function get(port: number, at: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/html', host: `localhost:${port}` };
    startRequest({ host: '127.0.0.1', port, path: at, headers, agent })
      .on('error', reject)
      .on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)))
      .end();
  });
}

/** Established ones to a port of this machine, as the system counts them. */
function countConnections(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const established = ' 01 ';
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => line.includes(suffix) && line.includes(established) && line.indexOf(suffix) > 20).length;
}

it('brings events as they come, and a large upload whole', async () => {
  const folder = createProject();
  await using app = await startApp({ folder, mode: 'development' });
  await untilUp(app);
  const headers = { accept: 'text/event-stream', host: `localhost:${app.port}` };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    startRequest({ host: '127.0.0.1', port: app.port, path: `${mount}/flights/events?since=0`, headers, agent: false })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
  expect([response.statusCode, response.headers['content-type']]).toEqual([
    200,
    expect.stringContaining('text/event-stream'),
  ]);
  const event = await new Promise<string>((resolve) =>
    response.once('data', (piece: Buffer) => resolve(String(piece))),
  );
  expect(event.length).toBeGreaterThan(0);
  response.destroy();
  // As large as its receivers take, and one byte more, which they refuse themselves.
  const { recorder } = await readKnown(app);
  const key = isRecord(recorder) ? String(recorder['key']) : '';
  const upload = (bytes: number) =>
    ask(app.port, `${mount}/api/shop/errors`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': String(bytes) },
      body: `${JSON.stringify({ errors: [] })}${' '.repeat(bytes)}`.slice(0, bytes),
    });
  const [taken, refused] = [await upload(1024 * 1024), await upload(1024 * 1024 + 1)];
  expect([taken.status, refused.status, JSON.parse(refused.body)]).toMatchObject([
    expect.any(Number),
    413,
    { error: {} },
  ]);
  expect(taken.status).not.toBe(413);
  expect(taken.status).not.toBe(503);
});

it('is left out, in one line, where there is no data folder', async () => {
  const folder = createProject();
  writeFileSync(path.join(folder, 'data'), 'a file');
  await using app = await startApp({ folder });
  expect((await ask(app.port, '/')).body).toBe('app');
  expect((await ask(app.port, mount)).status).toBe(503);
  expect(app.lines()).toEqual([expect.stringContaining('there is no interface: ')]);
  expect(existsSync(path.join(folder, 'data/flight.db'))).toBe(false);
});

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { isRecord } from '#boundary';
import { parseRecorderUrl } from '#report/recorder-url.ts';
import { isAtLeast } from '#src/server/environment/is-at-least.mjs';

import { servingFloor, sqliteFloor } from '../bin/node-floors.mjs';
import packageJson from '../package.json' with { type: 'json' };

import { startCommand, type RunningCommand } from './testing/run-command.ts';
import { findFreePort } from './testing/start-server.ts';

/**
 * The packed command as a stranger has it: `npm pack`, `npm i <tarball>` in an empty folder outside the repository, and then through
 * its commands in front of a small app, on the oldest and the newest line of Node with support. Nothing else is installed with it.
 */
const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-package-'));
const installed = path.join(folder, 'node_modules/flight-recorder');
const bin = path.join(folder, 'node_modules/.bin/flight-recorder');

/** The oldest that the command is for, and the newest of all lines. */
const lines = [servingFloor, '26.10.0'];
const platform = `node-${process.platform}-${process.arch}`;

function findLine(version: string): string {
  return path.join(folder, 'nodes', version, 'package/bin/node');
}

const nodes = [
  { version: process.version, file: process.execPath },
  ...lines.map((version) => ({ version: `v${version}`, file: findLine(version) })),
];

/** npm has Node's binaries as packages. Unpacked by hand: installed, they would be the app's. */
function bringLine(version: string): void {
  const to = path.join(folder, 'nodes', version);
  mkdirSync(to, { recursive: true });
  npm(to, 'pack', `${platform}@${version}`, '--prefer-offline', '--silent');
  const tarball = readdirSync(to).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['xzf', tarball, 'package/bin/node'], { cwd: to });
  rmSync(path.join(to, tarball));
}

/** One that is too old, where this machine has it. */
const tooOld = ['/usr/local/bin/node', '/usr/bin/node'].filter(existsSync).flatMap((file) => {
  const version = execFileSync(file, ['--version'], { encoding: 'utf8' }).trim();
  return isAtLeast(version, servingFloor) ? [] : [{ version, file }];
});

const appSource = `
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://app.test');
  if (pathname === '/exit') return void response.end('', () => process.exit(7));
  if (pathname === '/payload') return void response.setHeader('content-type', 'text/x-component').end('0:"a payload"\\n');
  if (pathname === '/fail') {
    console.error("⨯ Error: It broke\\n    at page (" + import.meta.filename + ":7:9) {\\n  digest: '2338734591'\\n}");
    return void response.end();
  }
  if (pathname === '/kill') return void response.end('', () => process.kill(process.pid, 'SIGKILL'));
  const { PORT, FLIGHT_RECORDER, NODE_ENV, FLIGHT_DATA } = process.env;
  const facts = { PORT, FLIGHT_RECORDER, NODE_ENV, FLIGHT_DATA, host: request.headers.host, umask: process.umask() };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(facts));
});
const tell = () => console.log('the app listens with ' + process.argv.slice(2).join(' '));
setTimeout(() => server.listen(Number(process.env.PORT), tell), Number(process.env.APP_DELAY ?? 0));
process.on('SIGTERM', () => {
  console.error('the app ends');
  server.close(() => process.exit(0));
  server.closeIdleConnections();
});
`;

let files: readonly string[] = [];
let packedBytes = 0;

function npm(cwd: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${words.join(' ')}: ${stderr}`);
  return stdout;
}

beforeAll(() => {
  const [packed]: unknown[] = JSON.parse(npm(root, 'pack', '--json', '--pack-destination', folder));
  if (!isRecord(packed) || !Array.isArray(packed['files'])) throw new Error('npm pack describes no tarball');
  files = packed['files'].map((file: { path: string }) => file.path);
  packedBytes = Number(packed['size']);
  writeFileSync(path.join(folder, 'package.json'), '{ "name": "@acme/shop", "private": true, "type": "module" }');
  writeFileSync(path.join(folder, 'app.js'), appSource);
  const tarball = path.join(folder, String(packed['filename']));
  for (const version of lines) bringLine(version);
  npm(folder, 'install', tarball, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

/** As in a shell whose `node` is this one, without what npm and Vitest have set for this process. */
function environmentFor(node: string, changes: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const isOurs = (name: string) => /^(?:npm_|VITEST|FLIGHT_|NODE_ENV$|BASE_URL$|RELIABILITY$)/.test(name);
  const kept = Object.entries(process.env).filter(([name]) => !isOurs(name));
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env['PATH']}`;
  return { ...Object.fromEntries(kept), PATH, FLIGHT_OPEN: '0', ...changes };
}

function start(node: string, args: readonly string[], changes: NodeJS.ProcessEnv = {}): RunningCommand {
  return startCommand(bin, args, { cwd: folder, env: environmentFor(node, changes) });
}

/** As a client of Next.js asks for it. */
async function fetchPayload(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/payload`, { headers: { rsc: '1' } });
  expect(await response.text()).toBe('0:"a payload"\n');
}

const recordedPayload = { app: 'acme-shop', path: '/payload', status: 200 };

function readFlights(data: string): readonly object[] {
  const database = new DatabaseSync(path.join(data, 'flights.db'), { readOnly: true });
  try {
    return database
      .prepare('select app, path, status from flight')
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** As `du` counts: in the blocks of the file system. */
function countBytesOnDisk(top: string): number {
  return readdirSync(top, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(path.join(top, name)).blocks * 512)
    .reduce((sum, bytes) => sum + bytes, 0);
}

test('has everything built, no sources, and brings nothing along', () => {
  expect(
    files.filter((file) => !/^(?:bin|dist|docs)\/|^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(file)),
  ).toEqual(['packages/flight/README.md', 'src/server/environment/is-at-least.mjs']);
  for (const file of ['dist/command.js', 'dist/serve-node.js', 'dist/licenses.txt', 'dist/server/recorder-thread.js']) {
    expect(files).toContain(file);
  }
  // The server is in it twice: once more as apps mount it (docs/decisions/045-waku-plugin.md). Source maps are in neither.
  expect(packedBytes).toBeLessThan(8 * 1024 * 1024);
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
  expect(countBytesOnDisk(installed)).toBeLessThan(25 * 1024 * 1024);
  const beside = readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(beside).toEqual(['flight-recorder']);
  expect(readdirSync(path.join(folder, 'node_modules/.bin'))).toEqual(['flight-recorder']);
  expect(readFileSync(path.join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(path.join(root, 'LICENSE'), 'utf8'));
});

/** A person waits for two seconds; a machine that runs other tests meanwhile gets twice as long. */
const answerMs = 4_000;

test.each(tooOld)('says on Node $version in one line what to type', ({ file, version }) => {
  const env = environmentFor(file);
  const run = spawnSync(bin, ['run', '--', 'next', 'start'], { cwd: folder, env, encoding: 'utf8' });
  expect([run.status, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toBe(
    `flight-recorder: Node ${version} is too old: it needs ${servingFloor} or newer with SQLite ${sqliteFloor} or newer. ` +
      'Type: npx -p node@24 flight-recorder run -- next start\n',
  );
});

describe.each(nodes)('on Node $version', ({ file: node, version }) => {
  test.each([
    ['--version', `${packageJson.version}\n`],
    ['--help', 'Usage: npx flight-recorder [<command>]\n'],
  ])('npx flight-recorder %s answers at once', (option, beginning) => {
    const times = [1, 2].map(() => {
      const from = performance.now();
      const env = environmentFor(node);
      const run = spawnSync('npx', ['flight-recorder', option], { cwd: folder, env, encoding: 'utf8' });
      expect([run.status, run.stdout.slice(0, beginning.length)]).toEqual([0, beginning]);
      return performance.now() - from;
    });
    console.info(`${version}: npx flight-recorder ${option}: ${times.map((time) => Math.round(time)).join(', ')} ms`);
    expect(Math.min(...times)).toBeLessThan(answerMs);
  });

  test('without a command it serves, with the data beside the person', async () => {
    const port = await findFreePort();
    const data = mkdtempSync(path.join(tmpdir(), 'flight-recorder-data-'));
    onTestFinished(() => rmSync(data, { recursive: true }));
    await using server = startCommand(bin, [], { cwd: data, env: environmentFor(node, { PORT: String(port) }) });
    const [, origin = ''] = await server.waitFor(/^Sign in with (http:\/\/[^/]+)\/login#[\w-]{43} /m);
    expect(origin).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await fetch(`${origin}/login`, { headers: { accept: 'text/html' } })).status).toBe(200);
    const check = spawnSync(bin, ['healthcheck'], { cwd: data, env: environmentFor(node), encoding: 'utf8' });
    expect([check.status, check.stdout]).toEqual([0, `ready: 127.0.0.1:${port} answered 200\n`]);
    server.signal('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(readdirSync(path.join(data, 'data'))).toContain('flight.db');
  });

  test('run puts the recorder in front of an app, and ends as the app does', async () => {
    const [port, uiPort] = [await findFreePort(), await findFreePort()];
    const options = ['--port', String(port), '--ui-port', String(uiPort), '--data', 'shop-data'];
    await using command = start(node, ['run', ...options, '--', 'node', 'app.js', '--of=its', '--help'], {
      NODE_ENV: 'development',
    });
    await command.waitFor(/^the app listens with --of=its --help$/m);
    const response = await fetch(`http://127.0.0.1:${port}/page`);
    const seen: unknown = await response.json();
    if (!isRecord(seen)) throw new Error('the app answered no object');
    expect(seen).toMatchObject({ host: `127.0.0.1:${port}`, NODE_ENV: 'development', umask: process.umask() });
    expect([seen['FLIGHT_DATA'], seen['PORT'] === String(port)]).toEqual([undefined, false]);
    const address = parseRecorderUrl(String(seen['FLIGHT_RECORDER']));
    expect(address).toMatchObject({ base: `http://127.0.0.1:${uiPort}`, app: 'acme-shop' });
    const database = new DatabaseSync(path.join(folder, 'shop-data/flight.db'), { readOnly: true });
    expect(database.prepare('select id, secret_key as key from app').all()).toEqual([
      { id: 'acme-shop', key: address?.key },
    ]);
    database.close();
    expect(command.errors()).toMatch(
      new RegExp(
        `^Flight Recorder records acme-shop\\.\\n  The app +http://localhost:${port}\\n  The recorder +http://127\\.0\\.0\\.1:${uiPort}\\n` +
          `  What is kept +every flight\\n  The data +${path.join(folder, 'shop-data')}\\n  Sign in +http://127\\.0\\.0\\.1:${uiPort}/login#[\\w-]{43} \\(once, within 15 minutes\\)\\n$`,
      ),
    );
    expect((await fetch(`http://127.0.0.1:${uiPort}/healthz`)).status).toBe(200);
    await fetchPayload(port);
    await fetch(`http://127.0.0.1:${port}/exit`).catch(() => undefined);
    expect(await command.exited).toBe(7);
    expect(readFlights(path.join(folder, 'shop-data'))).toContainEqual(recordedPayload);
    expect(command.output()).toBe('the app listens with --of=its --help\n');
    for (const each of [port, uiPort]) await expect(fetch(`http://127.0.0.1:${each}/`)).rejects.toThrow('fetch failed');
  });
});

test('prints what is in a payload', () => {
  const run = spawnSync(bin, ['flight', '--json', '-'], {
    cwd: folder,
    env: environmentFor(process.execPath),
    input: '0:"a payload"\n',
    encoding: 'utf8',
  });
  expect([run.status, run.stderr]).toEqual([0, '']);
  expect(JSON.parse(run.stdout)).toMatchObject({ state: { kind: 'complete' }, bytes: 14 });
});

test('has the doors for other apps, with their types', () => {
  const program = `
    import { onRequestError } from 'flight-recorder/next';
    import { createReporter } from 'flight-recorder/rsc';
    import { createGuard } from 'flight-recorder/guard';
    import { expectFlight } from 'flight-recorder/playwright';
    await expectFlight('0:"a payload"\\n').toStayWithin({ bytes: 14 });
    await onRequestError(new Error('nobody is told'), {}, {});
    const { check } = createGuard({ larger: 'refuse', onRefused() {} });
    const headers = { 'next-action': 'a'.repeat(42) };
    const forged = new Request('http://a.test/', { method: 'POST', headers, body: '["$0:constructor"]' });
    console.log(typeof createReporter, (await check(forged)).status);
  `;
  // An app on an older Node sends its errors all the same.
  for (const { file } of [...nodes, ...tooOld]) {
    const env = environmentFor(file, { NEXT_RUNTIME: 'nodejs' });
    const run = spawnSync(file, ['--input-type=module', '--eval', program], { cwd: folder, env, encoding: 'utf8' });
    expect([run.status, run.stdout, run.stderr]).toEqual([0, 'function 403\n', '']);
  }
  writeFileSync(
    path.join(folder, 'instrumentation.ts'),
    "export { onRequestError } from 'flight-recorder/next';\nexport { createReporter } from 'flight-recorder/rsc';\n" +
      "export { expectFlight } from 'flight-recorder/playwright';\nexport { readFlightShape } from 'flight-recorder/vitest';\n",
  );
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    const options = ['--noEmit', '--strict', '--module', module, '--moduleResolution', resolution, '--types', ''];
    const run = spawnSync(process.execPath, [compiler, ...options, 'instrumentation.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([run.stdout, run.status]).toEqual(['', 0]);
  }
});

const [{ file: node } = { file: process.execPath }] = nodes;

async function startRun(command: readonly string[], options: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const [port, uiPort] = [await findFreePort(), await findFreePort()];
  const data = mkdtempSync(path.join(tmpdir(), 'flight-recorder-data-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const given = ['--port', String(port), '--ui-port', String(uiPort), '--data', data, ...options];
  return { port, uiPort, data, running: start(node, ['run', ...given, '--', ...command], env) };
}

async function isServed(port: number): Promise<boolean> {
  return await fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

describe('run', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s on, and stops all that it started', async (signal) => {
    const { port, uiPort, running } = await startRun(['node', 'app.js']);
    await using command = running;
    await command.waitFor(/^the app listens/m);
    command.signal(signal);
    expect(await command.exited).toBe({ SIGTERM: 0, SIGINT: 130, SIGHUP: 129 }[signal]);
    expect(command.errors().includes('the app ends')).toBe(signal === 'SIGTERM');
    expect([await isServed(port), await isServed(uiPort)]).toEqual([false, false]);
  });

  test('ends what the command has started, as npm starts a shell and that the app', async () => {
    const { port, running } = await startRun(['sh', '-c', 'node app.js & wait']);
    await using command = running;
    await command.waitFor(/^the app listens/m);
    command.signal('SIGTERM');
    expect(await command.exited).toBe(143);
    expect([command.errors().includes('the app ends'), await isServed(port)]).toEqual([true, false]);
  });

  test('answers with a page that loads itself again until the app listens', async () => {
    const { port, running } = await startRun(['node', 'app.js'], [], { APP_DELAY: '1500' });
    await using command = running;
    await command.waitFor(/^ {2}The app /m);
    const accept = 'text/html,*/*;q=0.8';
    const early = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept } });
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await early.text()).toContain('<meta http-equiv="refresh" content="1">');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('The app is starting.\n');
    await command.waitFor(/^the app listens/m);
    expect((await fetch(`http://127.0.0.1:${port}/`, { headers: { accept } })).status).toBe(200);
    expect(command.errors()).not.toContain('upstream-unreachable');
  });

  test('reads the errors that the app prints, and keeps them under their digests', async () => {
    const { port, data, running } = await startRun(['node', 'app.js']);
    await using command = running;
    await command.waitFor(/^the app listens/m);
    await fetch(`http://127.0.0.1:${port}/fail`);
    await command.waitFor(/digest: '2338734591'\n}\n/);
    command.signal('SIGTERM');
    expect(await command.exited).toBe(0);
    const database = new DatabaseSync(path.join(data, 'flight.db'), { readOnly: true });
    expect(database.prepare("select app, digest, message from event where side = 'server'").all()).toEqual([
      { app: 'acme-shop', digest: '2338734591', message: 'It broke' },
    ]);
    database.close();
  });

  test('shows no lines of a build that came while it ran, and those of the build that is started then', async () => {
    const own = path.join(folder, '.next/BUILD_ID');
    mkdirSync(path.dirname(own));
    onTestFinished(() => rmSync(path.dirname(own), { recursive: true }));
    writeFileSync(own, 'first');
    // As what watches over an app does.
    const { port, data, running } = await startRun(['sh', '-c', 'while true; do node app.js; done']);
    await using command = running;
    const printed = "digest: '2338734591'\n}\n";
    async function fail(times: number): Promise<void> {
      await fetch(`http://127.0.0.1:${port}/fail`);
      await expect.poll(() => command.errors().split(printed).length).toBe(times + 1);
    }
    await command.waitFor(/^the app listens/m);
    await fail(1);
    writeFileSync(own, 'second');
    writeFileSync(path.join(folder, 'app.js'), appSource);
    await fail(2);
    await fetch(`http://127.0.0.1:${port}/exit`);
    await expect.poll(() => command.output().split('the app listens').length).toBe(3);
    await fail(3);
    command.signal('SIGTERM');
    await command.exited;
    const database = new DatabaseSync(path.join(data, 'flight.db'), { readOnly: true });
    const rows = database.prepare("select release, frames_json from event where side = 'server' order by rowid").all();
    database.close();
    const isLinux = process.platform === 'linux';
    expect(rows.map(({ release, frames_json: frames }) => [release, String(frames).includes('context')])).toEqual([
      ['first', true],
      [isLinux ? 'first' : '', false],
      [isLinux ? 'second' : '', isLinux],
    ]);
  });

  test('says 128 and the number of the signal that ended the app', async () => {
    const { port, running } = await startRun(['node', 'app.js']);
    await using command = running;
    await command.waitFor(/^the app listens/m);
    await fetch(`http://127.0.0.1:${port}/kill`).catch(() => undefined);
    expect(await command.exited).toBe(137);
  });

  test.each([
    [['no-such-command'], 127, 'there is no command no-such-command'],
    [['./package.json'], 126, './package.json cannot be run: '],
  ])('says that %j cannot be started, with status %i', async (command, status, line) => {
    await using running = (await startRun(command)).running;
    expect(await running.exited).toBe(status);
    expect(running.errors()).toContain(`\nflight-recorder: ${line}`);
  });

  test('says which option to change when a port is taken, and starts nothing', async () => {
    const taken = await listenSomewhere();
    for (const option of ['--port', '--ui-port']) {
      const { running } = await startRun(['node', 'app.js'], [option, String(taken.port)]);
      await using command = running;
      expect(await command.exited).toBe(1);
      expect([command.output(), command.errors()]).toEqual([
        '',
        `flight-recorder: port ${taken.port} is in use; choose another with ${option}\n`,
      ]);
    }
  });

  test('shares the interface that runs on the data folder', async () => {
    const first = await startRun(['node', 'app.js'], ['--app', 'first']);
    await using one = first.running;
    await one.waitFor(/^the app listens/m);
    const second = await startRun(['node', 'app.js'], ['--app', 'second', '--data', first.data]);
    await using other = second.running;
    await other.waitFor(/^the app listens/m);
    expect(other.errors()).toContain(`  The recorder  http://127.0.0.1:${first.uiPort} (it runs already)\n`);
    expect(await isServed(second.uiPort)).toBe(false);
    const response: unknown = await (await fetch(`http://127.0.0.1:${second.port}/`)).json();
    const address = isRecord(response) ? parseRecorderUrl(String(response['FLIGHT_RECORDER'])) : undefined;
    expect(address).toMatchObject({ base: `http://127.0.0.1:${first.uiPort}`, app: 'second' });
  });

  test('takes its interface with it, however it ends', async () => {
    const { uiPort, running } = await startRun(['node', 'app.js']);
    await using command = running;
    await command.waitFor(/^the app listens/m);
    // The process that the command file has started, where that is another Node's.
    const children = execFileSync('pgrep', ['-P', String(command.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    const inside = readFileSync(`/proc/${command.pid}/cmdline`, 'utf8').includes('command.js');
    for (const pid of inside ? [command.pid] : children.map(Number)) process.kill(pid, 'SIGKILL');
    await expect.poll(() => isServed(uiPort), { timeout: 15_000 }).toBe(false);
  });
});

async function listenSomewhere(): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    if (request.url !== '/payload') {
      return void response.end(`${request.method} ${request.url} ${request.headers.host}`);
    }
    response.setHeader('content-type', 'text/x-component').end('0:"a payload"\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : 0 };
}

describe('proxy', () => {
  test.each([
    ['keep', (port: number) => `127.0.0.1:${port}`],
    ['upstream', (_: number, upstream: number) => `127.0.0.1:${upstream}`],
  ])('goes to an app that runs already, with the Host that %s says', async (hostHeader, expectedHost) => {
    const { port: upstream } = await listenSomewhere();
    const port = await findFreePort();
    const data = mkdtempSync(path.join(tmpdir(), 'flight-recorder-data-'));
    onTestFinished(() => rmSync(data, { recursive: true }));
    const options = ['--port', String(port), '--data', data, '--host-header', hostHeader];
    await using command = start(node, ['proxy', '--to', `http://127.0.0.1:${upstream}`, ...options]);
    await command.waitFor(/^ {2}The app +http:\/\/localhost:\d+, which is /m);
    const response = await fetch(`http://127.0.0.1:${port}/a%2Fb?c=%20`);
    expect(await response.text()).toBe(`GET /a%2Fb?c=%20 ${expectedHost(port, upstream)}`);
    await fetchPayload(port);
    command.signal('SIGTERM');
    expect(await command.exited).toBe(0);
    expect([await isServed(port), readFlights(data)]).toEqual([false, [recordedPayload]]);
  });

  test('sends what it records to a recorder elsewhere, and keeps it while that does not answer', async () => {
    const { port: upstream } = await listenSomewhere();
    const [port, there] = [await findFreePort(), await findFreePort()];
    const data = mkdtempSync(path.join(tmpdir(), 'flight-recorder-data-'));
    onTestFinished(() => rmSync(data, { recursive: true }));
    const received: string[] = [];
    const address = `http://k3y@127.0.0.1:${there}/shop`;
    const options = ['--port', String(port), '--data', data];
    const target = `http://127.0.0.1:${upstream}`;
    await using command = start(node, ['proxy', '--to', target, ...options], { FLIGHT_RECORDER: address });
    await command.waitFor(/^ {2}The recording goes to http:\/\/127\.0\.0\.1:\d+; what /m);
    expect(command.errors()).not.toContain('k3y');
    await fetchPayload(port);
    await command.waitFor(/flights-not-sent/);
    expect(readFlights(path.join(data, 'spool-shop'))).toEqual([{ ...recordedPayload, app: 'shop' }]);
    const recorder = createServer((request, response) => {
      received.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      request.resume().on('end', () => response.end('{}'));
    });
    await new Promise<void>((resolve) => recorder.listen(there, '127.0.0.1', resolve));
    await expect.poll(() => received, { timeout: 20_000 }).toEqual(['POST /api/shop/flights Bearer k3y']);
    await expect.poll(() => readFlights(path.join(data, 'spool-shop')), { timeout: 5_000 }).toEqual([]);
    command.signal('SIGTERM');
    expect(await command.exited).toBe(0);
    recorder.closeAllConnections();
    await new Promise((resolve) => recorder.close(resolve));
  });

  test.each([
    ['ftp://app.test', 'ftp://app.test is not an address like'],
    ['http://app.test/path', 'http://app.test/path is more than a host and a port; give an address like'],
  ])('says in one line that %s is no address of an app', (to, line) => {
    const run = spawnSync(bin, ['proxy', '--to', to], { cwd: folder, env: environmentFor(node), encoding: 'utf8' });
    expect([run.status, run.stderr.split('\n').length, run.stderr.startsWith(`flight-recorder: ${line}`)]).toEqual([
      1,
      2,
      true,
    ]);
  });
});

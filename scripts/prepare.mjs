// Runs on the machine's own Node, before anything is installed. So it uses only Node's own modules.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describeMissingNode, findNode as findNodeFor } from '../bin/find-node.mjs';
import { scriptsFloor } from '../bin/node-floors.mjs';
import { isAtLeast } from '../src/server/environment/is-at-least.mjs';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const installStamp = path.join(root, 'node_modules/.flight-recorder-install');
const buildStamp = path.join(root, 'dist/.flight-recorder-build');
/** In the package too: a copy says by it of which build it was made. */
const mountedStamp = path.join(root, 'dist/mounted/build-stamp');
const buildInputs = [
  'src',
  'packages',
  'public',
  'waku.config.ts',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];

/** Ends the process with one line and no stack. The line says what is missing and what to do. */
export function fail(message) {
  console.error(`flight-recorder: ${message}`);
  process.exit(1);
}

/** Writes to standard error, because another program may read what a command prints. */
function tell(message) {
  process.stderr.write(`${message}\n`);
}

function runNpm(args) {
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  return spawnSync(command, args, { cwd: root, stdio: ['inherit', 2, 2], shell: process.platform === 'win32' });
}

function readNpmVersion() {
  try {
    const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    return execFileSync(command, ['--version'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      shell: process.platform === 'win32',
    }).trim();
  } catch {
    return fail(`npm is missing; install Node.js ${scriptsFloor} or newer together with npm 10 or newer`);
  }
}

function hashFiles(entries) {
  const hash = createHash('sha256');
  for (const entry of entries) {
    const full = path.join(root, entry);
    if (!existsSync(full)) continue;
    const files = entry.includes('.') ? [full] : listFiles(full);
    for (const file of files) {
      hash.update(path.relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

/** What stands among the sources and goes into no build: tests, what they read, generated routes, what a package is packed with. */
const outsideTheBuild =
  /\.test\.tsx?$|[\\/]pages\.gen\.ts$|[\\/]packages[\\/][\w-]+[\\/](?!src[\\/]|package\.json$)|[\\/]differential[\\/]/;

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !outsideTheBuild.test(file))
    .sort();
}

/** To build and to serve: what the project itself uses, and Node. Left out is what only checks and tests start: packages/checks. */
const toServe = ['--workspace=packages/node', '--include-workspace-root'];

function ensureStamped(stamps, args) {
  if (!isAtLeast(process.version, scriptsFloor)) {
    fail(`Node ${process.version} is too old; install Node.js ${scriptsFloor} or newer`);
  }
  const [wanted] = stamps;
  if (existsSync(installStamp) && stamps.includes(readFileSync(installStamp, 'utf8'))) return;
  const npmVersion = readNpmVersion();
  if (!isAtLeast(npmVersion, '10.0')) fail(`npm ${npmVersion} is too old; install npm 10 or newer`);
  tell('Installing dependencies (npm ci, about half a minute) …');
  // No dependency needs an install script, so none may run one.
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const result = runNpm(['ci', '--ignore-scripts', '--include=dev', ...args, ...quiet]);
  if (result.status !== 0) fail('npm ci failed; its message is above');
  mkdirSync(path.dirname(installStamp), { recursive: true });
  writeFileSync(installStamp, wanted);
}

/** Installs exactly what package-lock.json names, unless that is installed already. */
export function ensureInstalled() {
  ensureStamped([hashFiles(['package-lock.json'])], []);
}

/** The same without what only checks and tests use. A clone that has all of it has this, too. */
export function ensureServable() {
  const all = hashFiles(['package-lock.json']);
  ensureStamped([`${all} to serve`, all], toServe);
}

/** The Node that builds and serves. */
export function findNode() {
  return findNodeFor(root) ?? fail(describeMissingNode());
}

/** Builds when a file that is part of the build has changed since the last build. */
export function ensureBuilt(node) {
  const wanted = hashFiles(buildInputs);
  // Two that build at once may leave the stamp of one with a folder that the other has emptied.
  const isThere = existsSync(buildStamp) && existsSync(path.join(root, 'dist/command.js'));
  if (isThere && readFileSync(buildStamp, 'utf8') === wanted) return;
  tell('Building (about ten seconds) …');
  rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  build(node, {});
  writeFileSync(buildStamp, wanted);
}

/**
 * The interface as other apps mount it, in `dist/mounted`: for the package, and for tests. After `ensureBuilt`, which empties
 * `dist`. The same sources make the same stamp, so a copy that was made of them is still good.
 */
export function ensureMounted(node) {
  const wanted = hashFiles(buildInputs);
  if (existsSync(mountedStamp) && readFileSync(mountedStamp, 'utf8') === wanted) return;
  tell('Building the interface that is mounted in other apps …');
  rmSync(path.dirname(mountedStamp), { recursive: true, force: true });
  build(node, { FLIGHT_BUILD: 'mounted' });
  writeFileSync(mountedStamp, wanted);
}

function build(node, variables) {
  const result = spawnSync(node, [path.join(root, 'node_modules/waku/cli.js'), 'build'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', ...variables },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
    fail('the build failed; its output is above');
  }
}

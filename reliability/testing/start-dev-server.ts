import { spawn } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findFreePort } from './start-server.ts';

/**
 * `npm run dev` on a copy of the project, so that a test can break its files. The sources are copied. The packages are
 * linked, file by file: through a link to their folder, Vite would take them for another project's and refuse them.
 */
export type DevServer = {
  readonly origin: string;
  /** Writes a file of the copy. */
  readonly write: (file: string, text: string) => void;
  /** Deletes a file of the copy. */
  readonly erase: (file: string) => void;
  /** What the server has written so far. */
  readonly output: () => string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const root = path.join(import.meta.dirname, '../..');
const copied = [
  'src',
  'packages',
  'bin',
  'scripts',
  'public',
  '.gitignore',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'waku.config.ts',
];
const folders = new Set(['src', 'packages', 'bin', 'scripts', 'public']);
/** Folders in which tools write caches beside the packages. A copy makes its own. */
const caches = new Set(['.vite', '.vite-temp', '.cache']);
/** It bundles its dependencies first, and the machine may be busy. */
const startDeadlineMs = 90_000;

/** Links where possible: half a gigabyte is not copied for a test. */
function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Another file system, or one without links.
    copyFileSync(from, to);
  }
}

function placeFolder(from: string, to: string, place: (from: string, to: string) => void): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (!entry.isDirectory()) place(source, target);
    else if (!caches.has(entry.name)) placeFolder(source, target, place);
  }
}

function copyProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-dev-'));
  for (const name of copied) {
    if (folders.has(name)) placeFolder(path.join(root, name), path.join(folder, name), copyFileSync);
    else copyFileSync(path.join(root, name), path.join(folder, name));
  }
  placeFolder(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), linkFile);
  return folder;
}

type DevOptions = {
  /** Another script than `npm run dev`, with its arguments. */
  readonly command?: readonly string[];
};

export async function startDevServer(
  files: Readonly<Record<string, string>>,
  { command = ['scripts/dev.mjs'] }: DevOptions = {},
): Promise<DevServer> {
  const folder = copyProject();
  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  function erase(file: string): void {
    rmSync(path.join(folder, file));
  }
  for (const [file, text] of Object.entries(files)) write(file, text);
  const port = await findFreePort();
  const { VITEST: _vitest, NODE_OPTIONS: _options, BASE_URL: _url, FLIGHT_DATA: _data, ...inherited } = process.env;
  const child = spawn(process.execPath, command, {
    cwd: folder,
    // Without FLIGHT_DATA: the data is then in the project, as by default, and writing to it must not look like an
    // edit.
    env: { ...inherited, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  let isRemoved = false;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.once('close', (code, signal) => {
    // A test then finds nobody at the address, and could not say why.
    if (isRemoved) return;
    process.stderr.write(`The dev server ended by itself (${signal ?? code}):\n${output.slice(-4_000)}\n`);
  });
  async function remove(): Promise<void> {
    isRemoved = true;
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }

  const origin = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + startDeadlineMs;
  for (;;) {
    try {
      await fetch(`${origin}/healthz`);
      return { origin, write, erase, output: () => output, [Symbol.asyncDispose]: remove };
    } catch {
      // It does not answer yet.
    }
    if (child.exitCode !== null || performance.now() > deadline) {
      await remove();
      throw new Error(`The dev server did not start:\n${output}`);
    }
    await wait(50);
  }
}

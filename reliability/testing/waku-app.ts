import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

import { isRecord } from '#boundary';

import packageJson from '../../package.json' with { type: 'json' };

import { findFreePort } from './start-server.ts';

/**
 * A Waku app of somebody else's, with the packed Flight Recorder: `npm pack`, an app in a folder outside the repository, what it needs
 * from the registry. Its two changes are those of the guide: one entry in `vite.plugins`, and `<FlightRecorder>` in the layout. It
 * throws in each place where an app can.
 */
const root = path.join(import.meta.dirname, '../..');
const { waku, react } = packageJson.devDependencies;

/** Files of the app, by their paths. Those of a test come beside these, or in place of them. */
export type AppFiles = Readonly<Record<string, string>>;

const dynamic = `export const getConfig = async () => ({ render: 'dynamic' }) as const;\n`;

const files: AppFiles = {
  'waku.config.ts': `
import { flightRecorder } from 'flight-recorder/waku';
import { defineConfig } from 'waku/config';
export default defineConfig({ vite: { plugins: [flightRecorder()] } });`,
  'src/pages/_layout.tsx': `
import type { ReactNode } from 'react';
import { FlightRecorder, Link } from 'flight-recorder/waku';
export default function Layout({ children }: { children: ReactNode }) {
  return <div><nav><Link to="/">Home</Link></nav><FlightRecorder>{children}</FlightRecorder></div>;
}
export const getConfig = async () => ({ render: 'static' }) as const;`,
  'src/pages/index.tsx': `
import { Counter } from '../counter';
export default function Home() { return <main><h1>Shop</h1><Counter /></main>; }
export const getConfig = async () => ({ render: 'static' }) as const;`,
  'src/counter.tsx': `'use client';
import { useState } from 'react';
export function Counter() { const [count, add] = useState(0); return <button onClick={() => add(count + 1)}>{count}</button>; }`,
  'src/pages/fine.tsx': `export default async function Fine() { return <p>fine</p>; }\n${dynamic}`,
  'src/pages/in-server.tsx': `
export default async function Page() {
  await Promise.resolve();
  throw new Error('in a server component');
}
${dynamic}`,
  'src/pages/late.tsx': `
import { Suspense } from 'react';
async function Late(): Promise<null> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  throw new Error('after the shell');
}
export default function Page() { return <Suspense fallback={<p>wait</p>}><Late /></Suspense>; }
${dynamic}`,
  'src/throws-in-html.tsx': `'use client';
export function ThrowsInHtml() {
  if (typeof window === 'undefined') throw new Error('in a client component on the server');
  return <p>fine in the browser</p>;
}`,
  'src/pages/in-html.tsx': `
import { ThrowsInHtml } from '../throws-in-html';
export default function Page() { return <ThrowsInHtml />; }
${dynamic}`,
  'src/pages/missing.tsx': `
import { unstable_notFound } from 'waku/router/server';
export default async function Page() {
  await Promise.resolve();
  unstable_notFound();
}
${dynamic}`,
  'src/pages/_api/broken.ts': `export const GET = async () => { throw new Error('in an API route'); };`,
  'src/pages/act.tsx': `
async function fail(): Promise<void> {
  'use server';
  throw new Error('in an action');
}
export default function Page() { return <form action={fail}><button>Act</button></form>; }
${dynamic}`,
};

/** As in a shell whose \`node\` is this one, without what npm and Vitest have set for this process. */
export function environmentFor(changes: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOurs = (name: string) => /^(?:npm_|VITEST|FLIGHT_|NODE_ENV$|NODE_OPTIONS$|BASE_URL$|RELIABILITY$)/.test(name);
  const kept = Object.entries(process.env).filter(([name]) => !isOurs(name));
  const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`;
  return { ...Object.fromEntries(kept), PATH, FLIGHT_OPEN: '0', NO_COLOR: '1', ...changes };
}

export function run(folder: string, command: string, ...words: readonly string[]): string {
  const options = { cwd: folder, encoding: 'utf8', env: environmentFor({}) } as const;
  const { status, stdout, stderr } = spawnSync(command, words, options);
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}:\n${stdout}${stderr}`);
  return stdout;
}

/** @returns the packed tarball */
export function packRecorder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-tarball-'));
  const packed: unknown = JSON.parse(run(root, 'npm', 'pack', '--json', '--pack-destination', folder));
  const [first]: unknown[] = Array.isArray(packed) ? packed : [];
  if (!isRecord(first)) throw new Error('npm pack describes no tarball');
  return path.join(folder, String(first['filename']));
}

export type WakuApp = {
  readonly folder: string;
  readonly build: () => string;
  readonly remove: () => void;
};

export type AppOptions = {
  readonly tarball: string;
  readonly files?: AppFiles;
  readonly packages?: Readonly<Record<string, string>>;
  /** Versions that others' ranges do not reach. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** With its words up to \`install\`. */
  readonly manager?: readonly [string, ...string[]];
};

/** The app, with what it needs installed from the registry. */
export function createApp({
  tarball,
  files: more = {},
  packages = {},
  overrides = {},
  manager = ['npm'],
}: AppOptions): WakuApp {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-waku-'));
  const manifest = {
    name: '@acme/shop',
    private: true,
    type: 'module',
    dependencies: {
      waku,
      react,
      'react-dom': react,
      'react-server-dom-webpack': react,
      'flight-recorder': `file:${tarball}`,
      ...packages,
    },
    overrides,
  };
  const all = { ...files, ...more, 'package.json': JSON.stringify(manifest) };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  const quiet = manager[0] === 'npm' ? ['--no-audit', '--no-fund', '--prefer-offline'] : [];
  const [command, ...words] = manager;
  run(folder, command, ...words, 'install', '--ignore-scripts', ...quiet);
  return {
    folder,
    build() {
      const cli = path.join(folder, 'node_modules/waku/cli.js');
      const env = environmentFor({ NODE_ENV: 'production' });
      return execFileSync(process.execPath, [cli, 'build'], { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A copy of the app without a \`node_modules\`: what is copied to a server. */
export function copyDist({ folder }: WakuApp): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'flight-recorder-dist-'));
  cpSync(path.join(folder, 'dist'), path.join(copy, 'dist'), { recursive: true });
  return copy;
}

export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

export type RunningApp = {
  readonly origin: string;
  readonly output: () => string;
  readonly data: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const startDeadlineMs = 60_000;
const pollMs = 100;

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).text();
    return true;
  } catch {
    return false;
  }
}

/** @throws with what it printed when it ends instead of answering, or does not answer */
async function waitUntil(isThere: () => Promise<boolean>, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + startDeadlineMs;
  while (!(await isThere())) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`It did not start:\n${output()}`);
    await wait(pollMs);
  }
}

type StartOptions = {
  readonly mount?: string;
  /** What answers when all of it is there. */
  readonly ready?: string;
  readonly env?: NodeJS.ProcessEnv;
};

/** Starts the app as its scripts do, and waits until it and its interface answer. */
export async function startApp(
  folder: string,
  words: readonly string[],
  { mount = '/_flight', ready = `${mount}/login`, env = {} }: StartOptions = {},
): Promise<RunningApp> {
  const port = await findFreePort();
  const data = path.join(folder, 'data');
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(
    process.execPath,
    words.map((word) => word.replace('$PORT', String(port))),
    {
      cwd: folder,
      env: environmentFor({ PORT: String(port), HOST: '127.0.0.1', ...env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)));
  const exited = new Promise((resolve) => child.once('close', resolve));
  const output = () => printed;
  const isReady = async () => (await answers(origin + ready)) && (await isInterfaceUp(origin + ready));
  try {
    await waitUntil(isReady, child, output);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    origin,
    output,
    data,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

async function isInterfaceUp(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.text();
  return response.status === 200;
}

function readRows(file: string, sql: string, ...values: readonly string[]): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all(...values)
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** What is stored of a digest, as it came in an answer. */
export function findError(data: string, digest: string): Record<string, unknown> | undefined {
  const [found] = readRows(
    path.join(data, 'flight.db'),
    `select app, digest, message from event where side = 'server' and digest = ?`,
    digest,
  );
  return found;
}

/** What browsers have reported of themselves. */
export function listReports(data: string): Record<string, unknown>[] {
  return readRows(
    path.join(data, 'flight.db'),
    `select name, message, digest, extra_json, breadcrumbs_json from event where side = 'browser' order by received_at`,
  );
}

/** What the document of a page has told of its speed. */
export function findVitals(data: string, page: string): unknown {
  const [row] = readRows(
    path.join(data, 'flights.db'),
    `select vitals_json from flight where path = ? and kind = 'document'`,
    page,
  );
  return row?.['vitals_json'];
}

export function listFlights(data: string): Record<string, unknown>[] {
  return readRows(path.join(data, 'flights.db'), 'select app, path, kind, status from flight order by id');
}

/** The first digest in an answer, without the hyphen with which people read it. */
export function readDigestIn(text: string): string {
  const [, shown] = /\b([0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5})\b/.exec(text) ?? [];
  const [, sent] = /(?:"digest":|\$RX\("B:\d+",)"([0-9A-HJKMNP-TV-Z]{10})"/.exec(text) ?? [];
  const digest = shown?.replace('-', '') ?? sent;
  if (digest === undefined) throw new Error(`no digest in: ${text.slice(0, 2_000)}`);
  return digest;
}

export function readText(file: string): string {
  return readFileSync(file, 'utf8');
}

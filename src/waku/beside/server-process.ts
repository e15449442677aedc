import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { type Announcement, readAnnouncement } from '#src/server/http/announcement.ts';
import { findDefaultFolder } from '#src/store/prepare-data.ts';

import { withVariables } from '#src/server/environment/variables.ts';

/**
 * The server in a process of its own beside an app, so that neither a large page nor its end touches the app: under `run`, and
 * beside a Waku app (src/waku/beside). It stops when this process is gone, however it ended: the channel between the two is
 * closed then.
 */

/** The server itself gives what is in flight 10 s. */
const stopLimitMs = 15_000;

/**
 * Variables that the app and the interface would both take for theirs. The app's environment is the app's: its address, its proxies
 * and its Sentry project are not the interface's.
 */
const ofTheApp = {
  HOST: undefined,
  BASE_URL: undefined,
  TRUSTED_PROXIES: undefined,
  KEEP_ALIVE_SECONDS: undefined,
  REUSE_PORT: undefined,
  SENTRY_DSN: undefined,
  SMTP_URL: undefined,
  ALERT_FROM: undefined,
};

/** What a shell takes as it is. */
const plainPath = /^[\w./-]+$/;

/** Says how the operator's commands are typed in the folder where this one was: with the data folder, where it is not the usual one. */
export function nameProgram(program: string, folder: string, isWindows = process.platform === 'win32'): string {
  const isUsual = folder === findDefaultFolder();
  return isUsual || isWindows || !plainPath.test(folder) ? program : `FLIGHT_DATA=${folder} ${program}`;
}

export type ServerProcess = {
  readonly child: ChildProcess;
  /** Rejects when it ended before. */
  readonly announced: Promise<Announcement>;
  readonly stop: () => Promise<void>;
};

export type ServerProcessOptions = {
  /** Node's program. */
  readonly node: string;
  /** The folder with `serve-node.js`. */
  readonly dist: string;
  readonly port: number;
  /** The data folder, absolute. */
  readonly folder: string;
  /** How the operator's commands are typed here. */
  readonly program: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it writes that is not for its own log alone: its log is for an operator, and here the app's output stands alone. */
  readonly onProblem: (line: string) => void;
};

function readErrors(child: ChildProcess, onProblem: (line: string) => void): void {
  if (!child.stderr) return;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!/^\{.*"level":"warn"/.test(line)) onProblem(line);
  });
}

function waitForAnnouncement(child: ChildProcess): Promise<Announcement> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      const announcement = readAnnouncement(message);
      if (announcement) resolve(announcement);
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error('the interface could not start')));
  });
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
  await ended;
  clearTimeout(limit);
}

export function startServerProcess(options: ServerProcessOptions): ServerProcess {
  const { node, dist, port, folder, program, env = {}, onProblem } = options;
  // Node 22 warns of its SQLite; bin/flight-recorder.mjs drops the same of the command itself.
  const flags = ['--disable-warning=ExperimentalWarning'];
  const child = spawn(node, [...flags, path.join(dist, 'serve-node.js')], {
    cwd: path.dirname(dist),
    env: withVariables({
      ...ofTheApp,
      NODE_ENV: 'production',
      FLIGHT_BESIDE: '1',
      PORT: String(port),
      FLIGHT_DATA: folder,
      FLIGHT_OPERATOR: nameProgram(program, folder),
      ...env,
    }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // In a group of its own: Ctrl-C reaches the app first, and the interface shows how it ended.
    detached: process.platform !== 'win32',
  });
  readErrors(child, onProblem);
  return { child, announced: waitForAnnouncement(child), stop: () => stopServer(child) };
}

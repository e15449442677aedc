import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { type Announcement, readAnnouncement } from '#src/operator/announcement.ts';
import { findServer } from '#src/operator/commands/healthcheck.ts';

import { findDist } from '../dist-folder.ts';
import { requireFreePort } from '../ports.ts';
import { withVariables } from '../variables.ts';

/**
 * The interface beside an app: a process of its own, so that neither a large page nor its end touches the app. It stops when this
 * process is gone, however it ended: the channel between the two is closed then.
 */
export type Interface = {
  /** Where people open it. */
  readonly origin: string;
  /** Where processes of this machine reach it. */
  readonly base: string;
  readonly loginUrl: string | undefined;
  readonly isShared: boolean;
  readonly stop: () => Promise<void>;
};

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
  SENTRY_DSN: undefined,
  SMTP_URL: undefined,
  ALERT_FROM: undefined,
};

/** What a shell takes as it is. */
const plainPath = /^[\w./-]+$/;

/** As the operator's commands are typed in the folder where this one was: with the data folder, where it is not the usual one. */
export function nameProgram(program: string, folder: string, isWindows = process.platform === 'win32'): string {
  const isUsual = folder === path.resolve('data');
  return isUsual || isWindows || !plainPath.test(folder) ? program : `FLIGHT_DATA=${folder} ${program}`;
}

function startServer(dist: string, port: number, folder: string, program: string): ChildProcess {
  return spawn(process.execPath, [path.join(dist, 'serve-node.js')], {
    cwd: path.dirname(dist),
    env: withVariables({
      ...ofTheApp,
      NODE_ENV: 'production',
      PORT: String(port),
      FLIGHT_DATA: folder,
      FLIGHT_OPERATOR: nameProgram(program, folder),
    }),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // In a group of its own: Ctrl-C reaches the app first, and the interface shows how it ended.
    detached: process.platform !== 'win32',
  });
}

/** Its log is for an operator. Here the app's output stands alone, but for what goes wrong with the interface itself. */
function showErrors(child: ChildProcess): void {
  if (!child.stderr) return;
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!/^\{.*"level":"warn"/.test(line)) process.stderr.write(`${line}\n`);
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

export type InterfaceOptions = {
  readonly port: number;
  /** The data folder, absolute. */
  readonly folder: string;
  /** How the operator's commands are typed here. */
  readonly program: string;
  /** It ended by itself. */
  readonly onEnd: () => void;
};

/**
 * Starts the interface, or finds the one that runs on the folder: there is one for a folder, and several apps may share it.
 * @throws with one line when it cannot start
 */
export async function startInterface({ port, folder, program, onEnd }: InterfaceOptions): Promise<Interface> {
  const running = await findServer(folder);
  if (running) {
    const { origin, base } = running;
    return { origin, base, loginUrl: undefined, isShared: true, stop: async () => undefined };
  }
  await requireFreePort(port, '--ui-port');
  const child = startServer(findDist(), port, folder, program);
  showErrors(child);
  const { origin, loginUrl } = await waitForAnnouncement(child);
  let isStopping = false;
  child.once('exit', () => {
    if (!isStopping) onEnd();
  });
  return {
    origin,
    base: `http://127.0.0.1:${port}`,
    loginUrl,
    isShared: false,
    async stop() {
      isStopping = true;
      await stopServer(child);
    },
  };
}

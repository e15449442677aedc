import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';

import { withUsersMask } from '../private-files.ts';
import { quoteForCmd } from './quote-for-cmd.ts';

/**
 * The app under `run`. To it, this process is a shell: the same input, its output unchanged, its exit status ours.
 *
 * In a terminal it stays in our process group: Ctrl-C reaches it from the terminal, and is not passed on again. Elsewhere it gets a
 * group of its own, so that what its command has started (`npm run` starts a shell, which starts the app) can be ended with it.
 */
export type RunningApp = {
  /** Of its command; undefined where that could not be started. */
  readonly pid: number | undefined;
  readonly pass: (signal: NodeJS.Signals) => void;
  /** Resolves with the exit status, after the last of its output. */
  readonly ended: Promise<number>;
};

export type AppStream = 'stdout' | 'stderr';

export type AppOptions = {
  readonly command: readonly [file: string, ...args: string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Sees each piece of what it writes. */
  readonly onOutput: (stream: AppStream, chunk: Uint8Array) => void;
};

const isTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
const isWindows = process.platform === 'win32';
const hasOwnGroup = !isTerminal && !isWindows;
/** What the app's command has started may still answer requests when the command itself has ended. */
const leftOverMs = 10_000;

/** As a shell says it. */
const cannotRun = 126;
const notFound = 127;

/** The commands that a package's own scripts find without a path: those in `node_modules/.bin` from `folder` up. */
export function findLocalCommands(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  const here = path.join(folder, 'node_modules', '.bin');
  return parent === folder ? [here] : [here, ...findLocalCommands(parent)];
}

/** The app writes to a pipe, and would print without colours. */
export function chooseColours(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isDecided = env['FORCE_COLOR'] !== undefined || env['NO_COLOR'] !== undefined;
  if (isDecided || !process.stdout.isTTY || !process.stderr.isTTY) return {};
  const levels: Readonly<Record<number, string>> = { 4: '1', 8: '2', 24: '3' };
  const level = levels[process.stdout.getColorDepth()];
  return level === undefined ? {} : { FORCE_COLOR: level };
}

function spawnApp([file, ...args]: AppOptions['command'], env: NodeJS.ProcessEnv): ChildProcess {
  const options: SpawnOptions = { env, stdio: ['inherit', 'pipe', 'pipe'], detached: hasOwnGroup };
  // There, `next` is a batch file, which only cmd runs.
  if (isWindows) {
    const line = `"${[file, ...args].map(quoteForCmd).join(' ')}"`;
    return spawn('cmd.exe', ['/d', '/s', '/c', line], { ...options, windowsVerbatimArguments: true });
  }
  return spawn(file, args, options);
}

function passOutput(child: ChildProcess, onOutput: AppOptions['onOutput']): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const [from, to] = [child[stream], process[stream]];
    if (!from) continue;
    from.on('data', (chunk: Buffer) => onOutput(stream, chunk));
    from.pipe(to, { end: false });
    // Who read our output has left, as `| head` does. The app must not wait for it.
    to.on('error', () => {
      from.unpipe(to);
      from.resume();
    });
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (!hasOwnGroup || child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nothing is left of it.
  }
}

/** Ends what the command has started and left. The pipes are closed when the last of them has ended. */
function endLeftOver(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const limit = setTimeout(() => {
    signalGroup(child, 'SIGKILL');
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, leftOverMs);
  child.once('close', () => clearTimeout(limit));
}

function explainFailure(error: NodeJS.ErrnoException, file: string): Error & { readonly status: number } {
  const isMissing = error.code === 'ENOENT';
  const message = isMissing ? `there is no command ${file}` : `${file} cannot be run: ${error.message}`;
  return Object.assign(new Error(message, { cause: error }), { status: isMissing ? notFound : cannotRun });
}

/**
 * @param onFailure called instead of running the app, with one line
 */
export function startApp({ command, env, onOutput }: AppOptions, onFailure: (reason: string) => void): RunningApp {
  const local = findLocalCommands(process.cwd()).join(path.delimiter);
  const searched = [local, env['PATH']].filter(Boolean).join(path.delimiter);
  const child = withUsersMask(() => spawnApp(command, { ...env, ...chooseColours(env), PATH: searched }));
  passOutput(child, onOutput);
  // Should a fault of ours end this process: an app that is left keeps its port, and cannot be started again.
  const endIt = () => {
    child.kill('SIGTERM');
    signalGroup(child, 'SIGTERM');
  };
  process.once('exit', endIt);
  const ended = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      const { message, status } = explainFailure(error, command[0]);
      onFailure(message);
      resolve(status);
    });
    child.once('exit', () => {
      process.off('exit', endIt);
      endLeftOver(child);
    });
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  return {
    pid: child.pid,
    pass(signal) {
      if (isTerminal && signal === 'SIGINT') return;
      child.kill(signal);
    },
    ended,
  };
}

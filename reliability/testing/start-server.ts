import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { findDatabase } from './databases.ts';
import { exchangeRaw } from './exchange-raw.ts';

/**
 * Starts the production build (`dist/serve-node.js`) in its own process, as an operator runs it. These tests prove what
 * only a whole process shows: signals, sockets, memory, files that are left. Each test starts its own server with its
 * own data folder, and leaves neither behind:
 *
 *     await using server = await startServer();
 *     const answer = await exchangeRaw(server.port, request('GET', '/', server.host));
 *     expect(await server.linesAfter(() => …)).toEqual([…]);
 *
 * A test about a crash keeps the folder and starts a second server on it:
 *
 *     await first.end('SIGKILL');
 *     await using second = await startServer({ dataFolder: first.dataFolder });
 *
 * A test about a server that must not start reads how it ended: `startServer` throws a `StartFailure`.
 */
export type StartOptions = {
  /** One that another server shares; otherwise one that nobody has. */
  readonly port?: number;
  /** Added to this process's environment. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Before the script: `['--max-old-space-size=128']`. */
  readonly nodeOptions?: readonly string[];
  /** A folder that is not removed afterwards. Without it the server gets an empty one that is. */
  readonly dataFolder?: string;
  /** The build's folder when it is in another place. Its parent is the working directory. */
  readonly dist?: string;
  /** Where the build is mounted. */
  readonly mount?: string;
  /** A working directory other than the parent of `dist`. */
  readonly folder?: string;
  /** A user other than this process's. This needs root. */
  readonly uid?: number;
};

/** One line of the log. A line that is not JSON, such as the address at the start, has the event `text`. */
type LogLine = {
  readonly event: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type RunningServer = {
  readonly port: number;
  /** The value of `Host`. */
  readonly host: string;
  readonly origin: string;
  readonly pid: number;
  readonly dataFolder: string;
  /** Every line so far, of both streams. */
  readonly lines: () => readonly LogLine[];
  /** The first line that matches, from the start or still to come. @throws when none comes within 10 s */
  readonly waitForLine: (matches: (line: LogLine) => boolean) => Promise<LogLine>;
  /** The lines that were written because of `act`: everything up to the answer to a request that is sent after it. */
  readonly linesAfter: (act: () => Promise<void>) => Promise<readonly LogLine[]>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<Exit>;
  /** Sends `signal` and waits until the process has ended. */
  readonly end: (signal: NodeJS.Signals) => Promise<Exit>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** The server ended before it answered: what it wrote, and how it ended. */
export class StartFailure extends Error {
  readonly exit: Exit;
  readonly output: string;
  constructor(exit: Exit, output: string) {
    super(`The server ended at its start (${exit.signal ?? exit.code}):\n${output}`);
    this.name = 'StartFailure';
    this.exit = exit;
    this.output = output;
  }
}

const built = path.join(import.meta.dirname, '../../dist');
/** A shared machine may be slow. A server that does not start at all is recognised by its exit. */
const startDeadlineMs = 30_000;
const lineDeadlineMs = 10_000;
const pollMs = 10;

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('No free port on 127.0.0.1');
  return address.port;
}

function parseLine(text: string): LogLine {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'event' in value && typeof value.event === 'string') {
      return { event: value.event, text, fields: { ...value } };
    }
  } catch {
    // One of the few lines for people.
  }
  return { event: 'text', text, fields: {} };
}

function collectLines(child: ChildProcess): LogLine[] {
  const lines: LogLine[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts.map(parseLine));
    });
    stream?.on('end', () => {
      if (rest) lines.push(parseLine(rest));
    });
  }
  return lines;
}

function toEnvironment(overrides: StartOptions['env'], port: number, dataFolder: string): NodeJS.ProcessEnv {
  const { VITEST: _vitest, NODE_OPTIONS: _options, BASE_URL: _url, ...inherited } = process.env;
  return {
    ...inherited,
    NODE_ENV: 'production',
    NO_COLOR: '1',
    HOST: '127.0.0.1',
    PORT: String(port),
    FLIGHT_AUTH: 'off',
    FLIGHT_DATA: dataFolder,
    ...overrides,
  };
}

/** Requests a path that is refused and logged. Its line proves that everything before it has been read. */
async function logMarker(port: number, host: string, marker: string): Promise<void> {
  await exchangeRaw(port, `GET //${marker} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
}

async function isReady(port: number, host: string, mount: string): Promise<boolean> {
  try {
    const answer = await exchangeRaw(
      port,
      `GET ${mount}/healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    return answer.statuses[0] === 200;
  } catch {
    return false;
  }
}

/** @throws a `StartFailure` when the server ends instead of answering */
export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const dist = options.dist ?? built;
  const script = path.join(dist, 'serve-node.js');
  if (!existsSync(script)) throw new Error('There is no build; `npm run test:reliability` makes one');
  const dataFolder = options.dataFolder ?? mkdtempSync(path.join(tmpdir(), 'flight-recorder-'));
  const port = options.port ?? (await findFreePort());
  const host = `127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...(options.nodeOptions ?? []), script], {
    cwd: options.folder ?? path.dirname(dist),
    env: toEnvironment({ ...(await findDatabase(dataFolder)), ...options.env }, port, dataFolder),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  const lines = collectLines(child);
  // `close` comes after the last line; `exit` may come before it.
  const exited = new Promise<Exit>((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  let markers = 0;

  async function waitForLine(matches: (line: LogLine) => boolean): Promise<LogLine> {
    const deadline = performance.now() + lineDeadlineMs;
    for (;;) {
      const found = lines.find(matches);
      if (found) return found;
      if (performance.now() > deadline) {
        throw new Error(`No such line came; these did:\n${lines.map((line) => line.text).join('\n')}`);
      }
      await wait(pollMs);
    }
  }

  async function linesAfter(act: () => Promise<void>): Promise<readonly LogLine[]> {
    const from = lines.length;
    await act();
    const marker = `marker-${(markers += 1)}`;
    await logMarker(port, host, marker);
    const last = await waitForLine((line) => line.text.includes(`//${marker}"`));
    return lines.slice(from, lines.indexOf(last));
  }

  async function end(signal: NodeJS.Signals): Promise<Exit> {
    child.kill(signal);
    return await exited;
  }

  async function remove(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await end('SIGKILL');
    if (options.dataFolder === undefined) rmSync(dataFolder, { recursive: true, force: true });
  }

  const deadline = performance.now() + startDeadlineMs;
  while (!(await isReady(port, host, options.mount ?? ''))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && performance.now() < deadline) {
      await wait(pollMs);
      continue;
    }
    await remove();
    throw new StartFailure(await exited, lines.map((line) => line.text).join('\n'));
  }
  return {
    port,
    host,
    origin: `http://${host}`,
    pid: child.pid ?? 0,
    dataFolder,
    lines: () => lines,
    waitForLine,
    linesAfter,
    signal: (signal) => void child.kill(signal),
    exited,
    end,
    [Symbol.asyncDispose]: remove,
  };
}

import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type ServerProcess, startServerProcess } from '#src/command/server-process.ts';
import { readInstance } from '#src/store/instance-file.ts';

import { findNodeProgram } from './find-program.ts';

/** The interface as a process of this one's own. */
export type OwnInterface = Pick<ServerProcess, 'stop'> & {
  /** Resolves with how it ended, in words, and whatever the reason. */
  readonly ended: Promise<string>;
  readonly loginUrl: string | undefined;
};

type OwnInterfaceOptions = {
  /** The mounted copy. */
  readonly dist: string;
  /** The data folder, absolute. */
  readonly folder: string;
  /** Where people reach the app; undefined: that is not known. */
  readonly baseUrl: URL | undefined;
};

/** A busy machine is slow. One that takes longer never will. */
const startLimitMs = 30_000;
/** Below it are ports that somebody chose, such as the app's own. */
const firstFreePort = 32_768;

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** The one that the last interface on this folder was given, so that who knows its address can go on; else any. */
async function choosePort(folder: string): Promise<number> {
  const last = readInstance(folder)?.address.port ?? 0;
  return last >= firstFreePort && (await canListen(last)) ? last : 0;
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `ended with status ${code}` : `was ended by ${signal}`;
}

/** Nothing of it keeps the app's process alive. */
function letGo({ child }: ServerProcess): void {
  child.unref();
  child.channel?.unref();
  const { stderr } = child;
  if (stderr && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref();
}

function toEnvironment(baseUrl: URL | undefined): Readonly<Record<string, string | undefined>> {
  return {
    FLIGHT_BESIDE: '1',
    // Who needs no login is decided for each request (read-visitor.ts). Whoever else connects to its port needs one.
    FLIGHT_AUTH: 'on',
    BASE_URL: baseUrl?.origin,
    // How the app is reached is the app's business.
    FLIGHT_INSECURE: '1',
    // What is loaded into the app by it must not be in the interface.
    NODE_OPTIONS: undefined,
  };
}

/** @throws with one line when it does not start */
export async function startOwnInterface({ dist, folder, baseUrl }: OwnInterfaceOptions): Promise<OwnInterface> {
  const port = await choosePort(folder);
  let lastLine = '';
  let isUp = false;
  const server = startServerProcess({
    node: findNodeProgram(dist),
    dist,
    port,
    folder,
    program: 'npx flight-recorder',
    env: toEnvironment(baseUrl),
    onProblem(line) {
      if (isUp) process.stderr.write(`${line}\n`);
      else lastLine = line.replace(/^flight-recorder: /, '');
    },
  });
  const ended = new Promise<string>((resolve) => {
    server.child.once('exit', (code, signal) => resolve(describeEnd(code, signal)));
  });
  letGo(server);
  try {
    const announced = await Promise.race([server.announced, pause(startLimitMs, undefined, { ref: false })]);
    if (!announced) throw new Error(`it did not start within ${startLimitMs / 1_000} s`);
    isUp = true;
    return { ended, stop: server.stop, loginUrl: announced.loginUrl };
  } catch (error) {
    server.child.kill('SIGKILL');
    throw lastLine === '' ? error : new Error(lastLine, { cause: error });
  }
}

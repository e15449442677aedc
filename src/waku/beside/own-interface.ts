import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type ServerProcess, startServerProcess } from '#src/waku/beside/server-process.ts';

import { describeOldNode, findOwnNode } from '../../../bin/find-node.mjs';

/** The app's own Node. @throws with one line where it is too old for the interface */
function findNode(): string {
  const node = findOwnNode();
  if (node === undefined) throw new Error(describeOldNode());
  return node;
}

/** The interface as a process of this one's own. */
export type OwnInterface = Pick<ServerProcess, 'stop'> & {
  /** Resolves with how it ended, in words, and whatever the reason. */
  readonly ended: Promise<string>;
  readonly loginUrl: string | undefined;
};

type OwnInterfaceOptions = {
  /** The build, or the mounted copy of it. */
  readonly dist: string;
  /** The data folder, absolute. */
  readonly folder: string;
  /** 0: the system gives one. */
  readonly port: number;
  /** How the operator's commands are typed here. */
  readonly program: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** A busy machine is slow. One that takes longer never will. */
const startLimitMs = 30_000;

export function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `ended with status ${code}` : `was ended by ${signal}`;
}

/** Lets the app's process end although the interface runs. */
function letGo({ child }: ServerProcess): void {
  child.unref();
  child.channel?.unref();
  const { stderr } = child;
  if (stderr && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref();
}

/** @throws with one line when it does not start */
export async function startOwnInterface(options: OwnInterfaceOptions): Promise<OwnInterface> {
  let lastLine = '';
  let isUp = false;
  const server = startServerProcess({
    node: findNode(),
    ...options,
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

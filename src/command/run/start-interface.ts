import { findServer } from '#src/operator/commands/healthcheck.ts';

import { findDist } from '../dist-folder.ts';
import { requireFreePort } from '../ports.ts';
import { startServerProcess } from '../server-process.ts';

/** The interface beside an app (server-process.ts). */
export type Interface = {
  /** Where people open it. */
  readonly origin: string;
  /** Where processes of this machine reach it. */
  readonly base: string;
  readonly loginUrl: string | undefined;
  readonly isShared: boolean;
  readonly stop: () => Promise<void>;
};

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
  const onProblem = (line: string) => void process.stderr.write(`${line}\n`);
  const server = startServerProcess({ node: process.execPath, dist: findDist(), port, folder, program, onProblem });
  const { origin, loginUrl } = await server.announced;
  let isStopping = false;
  server.child.once('exit', () => {
    if (!isStopping) onEnd();
  });
  return {
    origin,
    base: `http://127.0.0.1:${port}`,
    loginUrl,
    isShared: false,
    async stop() {
      isStopping = true;
      await server.stop();
    },
  };
}

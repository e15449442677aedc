import cluster, { type Worker } from 'node:cluster';

import { readToPrimary, type ToPrimary, type ToWorker } from '../messages.ts';

/** One forked worker, as the primary sees it. */
export type WorkerProcess = {
  /** Its own; never used again. */
  readonly id: number;
  readonly pid: number;
  readonly tell: (message: ToWorker) => void;
  /**
   * Takes the listening socket from it, here and there. When all have left, this process has closed it, and the last worker to close
   * it has accepted what waited: nobody who connected before is reset.
   */
  readonly takePort: () => void;
  readonly kill: () => void;
};

export type Ended = { readonly code: number | null; readonly signal: string | null };

type Listeners = { readonly onMessage: (message: ToPrimary) => void; readonly onEnd: (ended: Ended) => void };

function hasEnded(worker: Worker): boolean {
  return worker.isDead() || !worker.isConnected();
}

/** Forks one. It is told who it is, and loads the server only then (join-primary.ts). */
export function startWorkerProcess({ onMessage, onEnd }: Listeners): WorkerProcess {
  const worker = cluster.fork();
  worker.on('message', (raw: unknown) => {
    const message = readToPrimary(raw);
    if (message) onMessage(message);
  });
  worker.on('exit', (code, signal) => onEnd({ code, signal }));
  // A channel that breaks shows as the end of the process.
  worker.on('error', () => undefined);
  return {
    id: worker.id,
    pid: worker.process.pid ?? 0,
    tell(message) {
      if (!hasEnded(worker)) worker.send(message, () => undefined);
    },
    takePort: () => void worker.disconnect(),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

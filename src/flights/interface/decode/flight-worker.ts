import type { WorkerReply, WorkerRequest } from './worker-messages.ts';

/** A worker as its page sees it: what is sent, and the next of the answers. */
export type FlightWorker = {
  readonly send: (request: WorkerRequest) => void;
  /** The next answer that nobody waits for yet. Rejects when the worker fails, or says that it could not do it. */
  readonly receive: () => Promise<WorkerReply>;
  /** Frees what it holds. Nothing is answered any more. */
  readonly end: () => void;
};

type Waiting = { readonly resolve: (reply: WorkerReply) => void; readonly reject: (error: Error) => void };

export function startFlightWorker(): FlightWorker {
  const worker = new Worker(new URL('./decode-worker.ts', import.meta.url), { type: 'module' });
  const waiting: Waiting[] = [];

  function failAll(text: string): void {
    worker.terminate();
    for (const { reject } of waiting.splice(0)) reject(new Error(text));
  }

  worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => {
    if (data.kind === 'failed') failAll(data.reason);
    else waiting.shift()?.resolve(data);
  });
  worker.addEventListener('error', ({ message }) => failAll(`The decoder’s worker failed: ${message}`));
  worker.addEventListener('messageerror', () => failAll('The decoder’s answer could not be read'));
  return {
    send: (request) => worker.postMessage(request, []),
    receive: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    end: () => worker.terminate(),
  };
}

import 'server-only';

import { Worker } from 'node:worker_threads';

import { describeError } from '#boundary';
import { readFreeMemory } from '#src/server/http/load.ts';

import type { MapAnswer, MapRequest } from './thread/messages.ts';

/**
 * Three times what open maps may take (thread/open-map.ts): the largest map is read beside them. One that needs more ends the
 * thread, and nothing else.
 */
const heapMib = 192;
/** The largest map takes some 50. */
const leastHeapMib = 64;
const youngMib = 8;
/** Files are read, unpacked and packed outside of the heap. */
const besideHeapMib = 48;
const mebibyte = 1024 * 1024;

/**
 * Where the process may have little memory, the thread gets what is left of it: else the system would end the process, and not the
 * thread.
 * @param freeBytes undefined: nobody has set a limit
 */
export function chooseHeap(freeBytes: number | undefined): number {
  if (freeBytes === undefined) return heapMib;
  return Math.round(Math.min(heapMib, Math.max(leastHeapMib, freeBytes / mebibyte - besideHeapMib)));
}

export type MapThread = {
  /** One at a time. @throws when the thread ends before it has answered, or did not answer in time: then it is ended */
  readonly ask: (request: MapRequest, deadlineMs: number) => Promise<MapAnswer>;
  readonly hasEnded: () => boolean;
  /** Resolves when its memory is given back. */
  readonly end: () => Promise<unknown>;
};

export function startThread(): MapThread {
  const port = new Worker(new URL('./thread/maps-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: chooseHeap(readFreeMemory()), maxYoungGenerationSizeMb: youngMib },
  });
  port.unref();
  let settle: { readonly resolve: (answer: MapAnswer) => void; readonly reject: (error: Error) => void } | undefined;
  let ended: string | undefined;

  function fail(reason: string): void {
    ended ??= reason;
    settle?.reject(new Error(ended));
    settle = undefined;
  }

  function end(reason: string): Promise<unknown> {
    fail(reason);
    return port.terminate();
  }

  port.on('message', (answer: MapAnswer) => {
    settle?.resolve(answer);
    settle = undefined;
  });
  port.on('error', (error) => fail(describeError(error)));
  port.on('exit', () => fail('the thread has ended'));

  return {
    async ask(request, deadlineMs) {
      if (ended !== undefined) throw new Error(ended);
      const asked = Promise.withResolvers<MapAnswer>();
      settle = asked;
      const timer = setTimeout(() => void end(`no answer within ${deadlineMs} ms`), deadlineMs);
      port.postMessage(request);
      try {
        return await asked.promise;
      } finally {
        clearTimeout(timer);
      }
    },
    hasEnded: () => ended !== undefined,
    end: () => end('it was ended'),
  };
}

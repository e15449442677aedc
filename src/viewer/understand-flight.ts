import type { Flight } from '#flight';

import { performUnderstandTask, type Understood, type UnderstandTask } from './understand-task.ts';

/**
 * Up to this size the page itself counts, in a task between two frames: 64 KiB take a tenth of the time that a person
 * notices.
 */
const largestInline = 64 * 1024;

function runInWorker(task: UnderstandTask): Promise<Understood> {
  const worker = new Worker(new URL('./understand-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Understood>((resolve, reject) => {
    worker.addEventListener('message', (event: MessageEvent<Understood>) => resolve(event.data));
    worker.addEventListener('error', (event) => reject(new Error(`The counting worker failed: ${event.message}`)));
    worker.addEventListener('messageerror', () => reject(new Error('The counting worker’s answer could not be read')));
    worker.postMessage(task, []);
  }).finally(() => worker.terminate());
}

async function runHere(task: UnderstandTask): Promise<Understood> {
  await new Promise((resolve) => setTimeout(resolve));
  return performUnderstandTask(task);
}

const begun = new WeakMap<Flight, Promise<Understood>>();

/** Counts a flight once for all callers, and never in a way that blocks the page. */
export function understandFlight({ flight, chunks, sources, response }: UnderstandTask): Promise<Understood> {
  const known = begun.get(flight);
  if (known) return known;
  const task = { flight, chunks, sources, response };
  const promise = flight.bytes.length > largestInline ? runInWorker(task) : runHere(task);
  begun.set(flight, promise);
  return promise;
}

import { performDecodeTask, type DecodeAnswer, type DecodeTask } from './decode-task.ts';
import { sizeOf } from './describe-found.ts';

/** Up to this size the page itself decodes, in two frames: starting a worker would take longer. */
const largestInline = 256 * 1024;

function runInWorker(task: DecodeTask): Promise<DecodeAnswer> {
  const worker = new Worker(new URL('./decode-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<DecodeAnswer>((resolve, reject) => {
    worker.addEventListener('message', (event: MessageEvent<DecodeAnswer>) => resolve(event.data));
    worker.addEventListener('error', (event) => reject(new Error(`The decoder’s worker failed: ${event.message}`)));
    worker.addEventListener('messageerror', () => reject(new Error('The decoder’s answer could not be read')));
    worker.postMessage(task, []);
  }).finally(() => worker.terminate());
}

function readSize(task: DecodeTask): number {
  if (task.kind === 'open') return sizeOf(task.found);
  return task.bytes instanceof Blob ? task.bytes.size : task.bytes.length;
}

/** Runs a task where it does not block the page. */
export function runDecodeTask(task: DecodeTask): Promise<DecodeAnswer> {
  return readSize(task) > largestInline ? runInWorker(task) : performDecodeTask(task);
}

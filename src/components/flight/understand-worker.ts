import { performUnderstandTask, type UnderstandTask } from './understand-task.ts';

/** Runs in a worker of its own: to count 5 MB takes a second. One task, one answer. */
globalThis.addEventListener('message', (event: MessageEvent<UnderstandTask>) =>
  globalThis.postMessage(performUnderstandTask(event.data), { transfer: [] }),
);

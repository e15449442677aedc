import { performUnderstandTask, type UnderstandTask } from './understand-task.ts';

/** Runs in its own worker: counting 5 MB takes a second. One task, one answer. */
globalThis.addEventListener('message', (event: MessageEvent<UnderstandTask>) =>
  globalThis.postMessage(performUnderstandTask(event.data), { transfer: [] }),
);

import { performDecodeTask, type DecodeTask } from './decode-task.ts';

/** Runs in a worker of its own, so that the page answers while 5 MB are decoded. One task, one answer. */
globalThis.addEventListener('message', (event: MessageEvent<DecodeTask>) => {
  void performDecodeTask(event.data).then((answer) => globalThis.postMessage(answer));
});

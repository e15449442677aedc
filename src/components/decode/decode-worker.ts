import { performDecodeTask, type DecodeAnswer, type DecodeTask } from './decode-task.ts';

/** The large buffers in an answer: they are transferred, not copied. */
function listBuffers(answer: DecodeAnswer): ArrayBufferLike[] {
  if (answer.kind === 'found') return [];
  const { bytes, rows } = answer.opened.flight;
  return [...new Set([bytes.buffer, rows.starts.buffer, rows.models.buffer])];
}

/** Runs in its own worker, so that the page answers while 5 MB are decoded. One task, one answer. */
async function perform(task: DecodeTask): Promise<void> {
  const done = await performDecodeTask(task);
  const transfer = listBuffers(done).filter((buffer) => buffer instanceof ArrayBuffer);
  globalThis.postMessage(done, { transfer });
}

globalThis.addEventListener('message', (event: MessageEvent<DecodeTask>) => void perform(event.data));

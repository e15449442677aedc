import { performDecodeTask, type DecodeAnswer, type DecodeTask } from './decode-task.ts';

/** The large buffers in an answer: they are transferred, not copied. */
function listBuffers(answer: DecodeAnswer): ArrayBufferLike[] {
  if (answer.kind === 'opened') {
    const { bytes, rows } = answer.flight;
    return [bytes.buffer, rows.starts.buffer, rows.models.buffer];
  }
  const { input } = answer;
  if (input.kind === 'unreadable') return [input.bytes.buffer];
  return input.flights.flatMap((found) => (found.direction === 'response' ? [found.bytes.buffer] : []));
}

/** Runs in its own worker, so that the page answers while 5 MB are decoded. One task, one answer. */
async function perform(task: DecodeTask): Promise<void> {
  const done = await performDecodeTask(task);
  const transfer = [...new Set(listBuffers(done))].filter((buffer) => buffer instanceof ArrayBuffer);
  globalThis.postMessage(done, { transfer });
}

globalThis.addEventListener('message', (event: MessageEvent<DecodeTask>) => void perform(event.data));

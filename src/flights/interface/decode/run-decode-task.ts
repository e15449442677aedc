import { countInWorker } from './count-in-worker.ts';
import { decodeInWorker, largestDecodedInline } from './decode-in-worker.ts';
import { performDecodeTask, type DecodeAnswer, type DecodeTask } from './decode-task.ts';
import { sizeOf } from './describe-found.ts';

function readSize(task: DecodeTask): number {
  if (task.kind === 'open') return sizeOf(task.found);
  return task.bytes instanceof Blob ? task.bytes.size : task.bytes.length;
}

/** Decodes where it does not block the page, and arranges that the flight is counted where that does not block it either. */
export async function runDecodeTask(task: DecodeTask): Promise<DecodeAnswer> {
  if (readSize(task) > largestDecodedInline) return decodeInWorker(task);
  const answer = await performDecodeTask(task);
  if (answer.kind === 'opened') countInWorker(answer.flight);
  return answer;
}

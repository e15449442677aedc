import { countInWorker } from './count-in-worker.ts';
import type { DecodeAnswer, DecodeTask } from './decode-task.ts';
import { startFlightWorker } from './flight-worker.ts';

/** Up to this size the page itself decodes, in two frames: starting a worker would take longer. */
export const largestDecodedInline = 256 * 1024;

/** Decodes in a worker, which then counts what it decoded. */
export async function decodeInWorker(task: DecodeTask): Promise<DecodeAnswer> {
  const worker = startFlightWorker();
  worker.send({ kind: 'decode', task });
  const reply = await worker.receive();
  if (reply.kind !== 'decoded') throw new Error(`The worker answered with ${reply.kind}`);
  const { answer } = reply;
  if (answer.kind === 'opened') countInWorker(answer.flight, worker);
  else worker.end();
  return answer;
}

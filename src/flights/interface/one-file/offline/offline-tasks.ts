import { diffFlights, type FlightDiff } from '#flight';
import type { CompareTask } from '#src/flights/interface/decode/compare-task.ts';
import { performDecodeTask, type DecodeAnswer, type DecodeTask } from '#src/flights/interface/decode/decode-task.ts';

/** In place of the tasks that begin a worker when they are large: a browser starts none from a file of the disk. */
export function runDecodeTask(task: DecodeTask): Promise<DecodeAnswer> {
  return performDecodeTask(task);
}

export async function compareFlights({ before, after }: CompareTask): Promise<FlightDiff> {
  return diffFlights(before, after);
}

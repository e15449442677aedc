import type { Flight } from '#flight';

import { countElsewhere, type Counting } from '#viewer/count-flight.ts';

import { startFlightWorker, type FlightWorker } from './flight-worker.ts';

/**
 * Up to this size the page itself counts, in a task between two frames: 64 KiB take a tenth of the time that a person
 * notices.
 */
const largestInline = 64 * 1024;

/** The worker ends with the counting: the page has a flight of its own. */
async function receiveSize(worker: FlightWorker, understood: Promise<unknown>): Promise<number> {
  await understood;
  const reply = await worker.receive();
  worker.end();
  if (reply.kind !== 'compressed') throw new Error(`The worker answered with ${reply.kind}`);
  return reply.size;
}

async function receiveUnderstood(worker: FlightWorker) {
  const reply = await worker.receive();
  if (reply.kind !== 'understood') throw new Error(`The worker answered with ${reply.kind}`);
  return reply.understood;
}

/** A flight that was never counted, because something else was opened meanwhile, leaves its worker behind. */
const forgotten = new FinalizationRegistry<FlightWorker>((worker) => worker.end());

/**
 * Arranges that a large flight is counted where that does not block the page.
 * @param decoder the worker that decoded it, if one did: it has a copy. Another is given one.
 */
export function countInWorker(flight: Flight, decoder?: FlightWorker): void {
  if (!decoder && flight.bytes.length <= largestInline) return;
  let first = decoder;
  if (first) forgotten.register(flight, first);
  countElsewhere(flight, (task): Counting => {
    const worker = first ?? startFlightWorker();
    if (!first) worker.send({ kind: 'keep', flight: task.flight });
    first = undefined;
    const { chunks, response } = task;
    worker.send({ kind: 'count', chunks, response });
    const understood = receiveUnderstood(worker);
    return { understood, gzip: receiveSize(worker, understood), stop: worker.end };
  });
}

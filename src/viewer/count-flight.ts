import type { Flight } from '#flight';

import { measureGzip } from './measure-gzip.ts';
import { performUnderstandTask, type Understood, type UnderstandTask } from './understand-task.ts';

/** What is counted of a flight, each known as soon as it is. */
export type Counting = {
  readonly understood: Promise<Understood>;
  /** The size of the bytes after the browser's own gzip. */
  readonly gzip: Promise<number>;
  /** Ends it and frees what it holds. What is not known by then never will be. */
  readonly stop: () => void;
};

type Counter = (task: UnderstandTask) => Counting;

const counters = new WeakMap<Flight, Counter>();
const begun = new WeakMap<Flight, Counting>();
const finished = new WeakSet<Flight>();

async function understandHere(task: UnderstandTask): Promise<Understood> {
  await new Promise((resolve) => setTimeout(resolve));
  return performUnderstandTask(task);
}

function countHere(task: UnderstandTask): Counting {
  return { understood: understandHere(task), gzip: measureGzip(task.flight.bytes), stop() {} };
}

/** Says who counts this flight, because it is large. Without a counter the page does it. */
export function countElsewhere(flight: Flight, counter: Counter): void {
  counters.set(flight, counter);
}

async function follow(flight: Flight, { understood, gzip }: Counting): Promise<void> {
  try {
    await Promise.all([understood, gzip]);
    finished.add(flight);
  } catch {
    // Whoever waits for it shows why. The next caller has it counted again.
    begun.delete(flight);
  }
}

/** Counts a flight once for all callers. */
export function countFlight({ flight, chunks, sources, response }: UnderstandTask): Counting {
  const known = begun.get(flight);
  if (known) return known;
  const counting = (counters.get(flight) ?? countHere)({ flight, chunks, sources, response });
  begun.set(flight, counting);
  void follow(flight, counting);
  return counting;
}

/** For a flight that is no longer shown. One that is counted to its end stays counted. */
export function stopCounting(flight: Flight): void {
  if (finished.has(flight)) return;
  begun.get(flight)?.stop();
  begun.delete(flight);
}

import type { Flight } from '#flight';

import { measureGzip } from './measure-gzip.ts';
import { performUnderstandTask, type Understood, type UnderstandTask } from './understand-task.ts';

/** What is counted of a flight, each known as soon as it is. */
export type Counting = {
  readonly understood: Promise<Understood>;
  /** The same with what the texts say, begun by the first call; left out where `understood` has it. */
  readonly whole?: () => Promise<Understood>;
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

/** Safari has no `requestIdleCallback`. */
function waitUntilIdle(): Promise<void> {
  const wait = globalThis.requestIdleCallback ?? ((run: () => void) => globalThis.setTimeout(run, 200));
  return new Promise((resolve) => wait(() => resolve()));
}

async function lookHere({ flight }: UnderstandTask, understood: Promise<Understood>): Promise<Understood> {
  const parts = await understood;
  await waitUntilIdle();
  const { addTexts } = await import('./add-texts.ts');
  return addTexts(flight, parts);
}

function countHere(task: UnderstandTask): Counting {
  const understood = understandHere(task);
  let looking: Promise<Understood> | undefined;
  const whole = () => (looking ??= lookHere(task, understood));
  return { understood, whole, gzip: measureGzip(task.flight.bytes), stop() {} };
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
export function countFlight({ flight, chunks, response }: UnderstandTask): Counting {
  const known = begun.get(flight);
  if (known) return known;
  const counting = (counters.get(flight) ?? countHere)({ flight, chunks, response });
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

import 'server-only';

/** What the experiment's actions change: numbers in this process's memory, gone when it ends. */
type Counter = { readonly count: number; readonly raisedBy: string };

/** Keys come from outside. Beyond this number, the oldest is dropped. */
const countersKept = 200;
const counters = new Map<string, Counter>();

export function readCounter(key: string): Counter {
  return counters.get(key) ?? { count: 0, raisedBy: 'nobody' };
}

export function raise(key: string, amount: number, raisedBy: string): void {
  const { count } = readCounter(key);
  counters.delete(key);
  counters.set(key, { count: count + amount, raisedBy });
  const oldest = counters.keys().next().value;
  if (counters.size > countersKept && oldest !== undefined) counters.delete(oldest);
}

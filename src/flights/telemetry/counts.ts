/**
 * What became of what was told, in memory that two threads share: the thread that sends counts, the one that serves `/metrics`
 * reads. A thread that is started again goes on counting.
 */
export const signals = ['traces', 'logs'] as const;
export type Signal = (typeof signals)[number];
/** `dropped`: too much was waiting. `failed`: the collector did not take it. `waiting` is how many there are now. */
export const fates = ['sent', 'failed', 'dropped', 'waiting'] as const;
type Fate = (typeof fates)[number];

export type TelemetryCounts = {
  readonly add: (signal: Signal, fate: Fate, by: number) => void;
  readonly read: (signal: Signal, fate: Fate) => number;
};

export function createCountsBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(signals.length * fates.length * Float64Array.BYTES_PER_ELEMENT);
}

export function openCounts(buffer: SharedArrayBuffer): TelemetryCounts {
  const numbers = new Float64Array(buffer);
  const at = (signal: Signal, fate: Fate) => signals.indexOf(signal) * fates.length + fates.indexOf(fate);
  return {
    add(signal, fate, by) {
      numbers[at(signal, fate)] = (numbers[at(signal, fate)] ?? 0) + by;
    },
    read: (signal, fate) => numbers[at(signal, fate)] ?? 0,
  };
}

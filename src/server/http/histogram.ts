/** Durations by how long they were, as Prometheus has them: plain numbers, read when somebody asks. */
export type Histogram = {
  readonly observe: (seconds: number) => void;
  readonly read: () => Observed;
};

export type Observed = {
  /** How many were at most as long as each bound, in the bounds' order, and at last all of them. */
  readonly cumulative: readonly number[];
  readonly bounds: readonly number[];
  readonly sum: number;
};

/** From a statement that SQLite answers from memory to a disk that hardly answers any more. */
const secondsOfStore = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export function createHistogram(bounds: readonly number[] = secondsOfStore): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(seconds) {
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sum += seconds;
    },
    read() {
      let all = 0;
      return { bounds, sum, cumulative: [...counts].map((count) => (all += count)) };
    },
  };
}

/** Bytes of recordings that are in memory, open or waiting for the disk. */
export type Budget = {
  /** False when it would be too much; then nothing is taken. */
  readonly take: (bytes: number) => boolean;
  readonly give: (bytes: number) => void;
  readonly used: () => number;
};

/** Some 2,000 payloads of 15 kB: what a server at its limit makes in two seconds, while its disk does not answer. */
export const memoryLimit = 32 * 1024 * 1024;

export function createBudget(limit: number = memoryLimit): Budget {
  let used = 0;
  return {
    take(bytes) {
      if (used + bytes > limit) return false;
      used += bytes;
      return true;
    },
    give(bytes) {
      used -= bytes;
    },
    used: () => used,
  };
}

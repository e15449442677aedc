/**
 * How often each property is tried. The suite runs always the same values and a few new ones each time; a failure
 * prints the seed that repeats it. `FLIGHT_RUNS=10000` is the long run.
 */
const wished = Number(process.env.FLIGHT_RUNS ?? '0');
const isLongRun = wished > 0;

const fixedSeed = 1930860604;

export type Runs = { title: string; seed: number; numRuns: number };

/** `usual` tries with a fixed seed and a third of that with a new one; in a long run, all with a new one. */
export function listRuns(usual: number): Runs[] {
  const seed = Number(process.env.FLIGHT_SEED ?? Math.floor(Math.random() * 2 ** 31));
  if (isLongRun) return [{ title: `seed ${seed}`, seed, numRuns: wished }];
  return [
    { title: 'fixed seed', seed: fixedSeed, numRuns: usual },
    { title: `seed ${seed}`, seed, numRuns: Math.ceil(usual / 3) },
  ];
}

/** A long run may take hours; a usual one that takes a minute hangs. */
export const runTimeout = isLongRun ? 6 * 3_600_000 : 60_000;

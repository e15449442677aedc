import { isRecord } from '#boundary';

/** What each process of a server counts, and would be wrong on a page if it told only its own. Counted since the process started. */
const countNames = [
  'requests',
  'errors',
  'flights',
  'unstored',
  'dropped-memory',
  'dropped-disk',
  'dropped-database',
  'dropped-thread',
  'dropped-unreadable',
  'dropped-usage',
] as const;

export type CountName = (typeof countNames)[number];
export type ProcessCounts = Readonly<Record<CountName, number>>;

const nothingCounted: ProcessCounts = {
  requests: 0,
  errors: 0,
  flights: 0,
  unstored: 0,
  'dropped-memory': 0,
  'dropped-disk': 0,
  'dropped-database': 0,
  'dropped-thread': 0,
  'dropped-unreadable': 0,
  'dropped-usage': 0,
};

/** As the others have told last. */
let others: ProcessCounts = nothingCounted;

/** @param told of each other process that runs */
export function noteOthers(told: readonly ProcessCounts[]): void {
  const sums = { ...nothingCounted };
  for (const counts of told) for (const name of countNames) sums[name] += counts[name];
  others = sums;
}

/** @param own since this process started. @returns the same of all processes that run */
export function addOthers(name: CountName, own: number): number {
  return own + others[name];
}

export function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** A process of another version may tell more, or less. */
export function parseCounts(value: unknown): ProcessCounts {
  const counts = isRecord(value) ? value : {};
  const parsed = { ...nothingCounted };
  for (const name of countNames) parsed[name] = toCount(counts[name]);
  return parsed;
}

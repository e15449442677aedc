import { recall, remember } from './tab-memory.ts';

/**
 * How much one browser reports. An error in a loop, or in every page of an app, is known by its first reports; the rest would cost the
 * visitor's connection. What the tab has sent is known to its next document where it may be remembered.
 */
const limits = { page: 10, hour: 30, tab: 100 } as const;
const hourMs = 3_600_000;

type Counts = { page: string; ofPage: number; hour: number; ofHour: number; ofTab: number };

function readNumbers(text: string | undefined): readonly number[] {
  return (text ?? '').split(',').map((part) => Number(part) || 0);
}

/**
 * @param memoryKey where the tab remembers what was sent, if it may
 * @returns takes a place for one report; false: there is none
 */
export function createPace(remembers: boolean, memoryKey = 'flight:pace'): (now: number) => boolean {
  const [hour = 0, ofHour = 0, ofTab = 0] = readNumbers(remembers ? recall(memoryKey) : undefined);
  const counts: Counts = { page: '', ofPage: 0, hour, ofHour, ofTab };
  return function takePlace(now) {
    const page = location.pathname;
    if (counts.page !== page) Object.assign(counts, { page, ofPage: 0 });
    const current = Math.floor(now / hourMs);
    if (counts.hour !== current) Object.assign(counts, { hour: current, ofHour: 0 });
    if (counts.ofPage >= limits.page || counts.ofHour >= limits.hour || counts.ofTab >= limits.tab) return false;
    counts.ofPage += 1;
    counts.ofHour += 1;
    counts.ofTab += 1;
    if (remembers) remember(memoryKey, [counts.hour, counts.ofHour, counts.ofTab].join());
    return true;
  };
}

import type { FlightHead } from '../flight/flight-head.ts';
import type { Storm } from '../flight/storm.ts';

/**
 * A minute slides in steps of five seconds: an alert is due within a minute, and is looked for every ten seconds.
 */
const slotMs = 5_000;
const secondMs = 1_000;
const slotsKept = 12;
/**
 * A page that is kept fresh every second asks 60 times a minute. Five times that is nobody's wish. It is allowed for each document that
 * was loaded meanwhile: visitors behind one address, with one browser, look like one tab.
 */
const stormRequests = 300;
/** A page of many links asks for each of them some times: Next.js in three pieces, and again when a page is gone back to. */
const requestsPerPath = 10;
/** Below half of it the storm is over, so that it does not begin again with each request. */
const calmRequests = stormRequests / 2;
/** As many visitors as are remembered (exchange/guess-visits.ts). */
const tabsLimit = 2_000;
/** Paths of all tabs together, of some 200 bytes each: 4 MB. Beyond it the tabs that were quiet longest are forgotten. */
const pathsLimit = 20_000;
/** Of one slot. What asks for more is no storm, and the rest counts as a path each. */
const pathsOfSlot = 100;

type Sum = Pick<Storm, 'requests' | 'sized' | 'bytes' | 'prefetches' | 'prefetchBytes' | 'unsure'>;
type Place = Pick<Storm, 'route' | 'page'>;
type Slot = {
  readonly number: number;
  readonly firstAt: number;
  sum: Sum;
  /** Requests of each of its seconds. */
  readonly seconds: number[];
  documents: number;
  readonly paths: Map<string, { readonly place: Place; count: number }>;
  /** Requests for paths beyond the limit. */
  others: number;
};
type Tab = { slots: Slot[]; storm: Place | undefined };

const nothing: Sum = { requests: 0, sized: 0, bytes: 0, prefetches: 0, prefetchBytes: 0, unsure: 0 };

/** Sizes are what senders say. A larger number could be stored and not be read again. */
function addBytes(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}

function addSums(one: Sum, other: Sum): Sum {
  return {
    requests: one.requests + other.requests,
    sized: one.sized + other.sized,
    bytes: addBytes(one.bytes, other.bytes),
    prefetches: one.prefetches + other.prefetches,
    prefetchBytes: addBytes(one.prefetchBytes, other.prefetchBytes),
    unsure: one.unsure + other.unsure,
  };
}

function sumOf({ kind, sentBytes }: FlightHead): Sum {
  const isPrefetch = kind === 'prefetch';
  return {
    requests: 1,
    sized: sentBytes === null ? 0 : 1,
    bytes: sentBytes ?? 0,
    prefetches: isPrefetch ? 1 : 0,
    prefetchBytes: isPrefetch ? (sentBytes ?? 0) : 0,
    unsure: kind === 'navigation-or-prefetch' ? 1 : 0,
  };
}

/** Null of nobody's, of hits that were counted together, and of what is no page: later payloads of one, endpoints, files. */
function nameTab({ kind, visit, lastAt }: FlightHead): string | null {
  return kind === 'slice' || kind === 'other' || lastAt !== null ? null : visit;
}

function isMuch(requests: number, documents: number): boolean {
  return documents >= stormRequests || requests - documents >= stormRequests * Math.max(1, documents);
}

/** The page that is asked for most, where few are asked for so often that it is a storm. */
function findStorm({ slots }: Tab, requests: number): Place | undefined {
  const counts = new Map<string, { readonly place: Place; readonly count: number }>();
  for (const { paths } of slots) {
    for (const [path, { place, count }] of paths) {
      counts.set(path, { place, count: (counts.get(path)?.count ?? 0) + count });
    }
  }
  const others = slots.reduce((sum, slot) => sum + slot.others, 0);
  if ((counts.size + others) * requestsPerPath > requests) return undefined;
  return [...counts.values()].toSorted((a, b) => b.count - a.count)[0]?.place;
}

export type StormCounts = {
  readonly note: (head: FlightHead) => void;
  /** What was counted since the last call. */
  readonly take: () => Storm[];
};

/** Of one that is late, the slot's first second. */
function addSecond({ number, seconds }: Slot, startedAt: number): void {
  const second = Math.max(0, Math.floor(startedAt / secondMs) - (number * slotMs) / secondMs);
  seconds[second] = (seconds[second] ?? 0) + 1;
}

/** Storms since the last call of `take`. */
function createPending() {
  let pending = new Map<string, Storm>();
  return {
    add(tabName: string, { route, page }: Place, more: Sum, head: FlightHead, slots: readonly Slot[]): void {
      const { app, requestId, startedAt } = head;
      const key = JSON.stringify([app, tabName, route]);
      const before = pending.get(key);
      const busiest = Math.max(...slots.flatMap(({ seconds }) => seconds.filter((count) => count > 0)));
      pending.set(key, {
        ...addSums(before ?? nothing, more),
        app,
        tab: tabName,
        route,
        page,
        peak: Math.max(before?.peak ?? 0, busiest),
        firstAt: before?.firstAt ?? slots[0]?.firstAt ?? startedAt,
        lastAt: Math.max(before?.lastAt ?? 0, startedAt),
        requestId,
      });
    },
    take(): Storm[] {
      const taken = [...pending.values()];
      pending = new Map();
      return taken;
    },
  };
}

/** Counts what each tab asks for, in a sliding minute. */
export function createStormCounts(): StormCounts {
  const tabs = new Map<string, Tab>();
  let pathsHeld = 0;
  const pending = createPending();

  function release(slots: readonly Slot[]): void {
    for (const { paths } of slots) pathsHeld -= paths.size;
  }

  function findTab(key: string): Tab {
    const tab = tabs.get(key) ?? { slots: [], storm: undefined };
    // The one that was quiet longest is first.
    tabs.delete(key);
    tabs.set(key, tab);
    for (const [oldest, { slots }] of tabs) {
      if (tabs.size <= tabsLimit && pathsHeld <= pathsLimit) break;
      if (oldest === key) break;
      tabs.delete(oldest);
      release(slots);
    }
    return tab;
  }

  /** Answers come a little out of order: what is late counts as of now. */
  function findSlot(tab: Tab, startedAt: number): Slot {
    const last = tab.slots.at(-1);
    const number = Math.max(Math.floor(startedAt / slotMs), last?.number ?? 0);
    if (last?.number === number) return last;
    const slot: Slot = {
      number,
      firstAt: startedAt,
      sum: nothing,
      seconds: [],
      documents: 0,
      paths: new Map(),
      others: 0,
    };
    const gone = tab.slots.filter((one) => one.number <= number - slotsKept);
    release(gone);
    tab.slots = [...tab.slots.slice(gone.length), slot];
    return slot;
  }

  function addPath(slot: Slot, { path, route, fromPath }: FlightHead): void {
    const known = slot.paths.get(path);
    if (known) known.count += 1;
    else if (slot.paths.size >= pathsOfSlot) slot.others += 1;
    else {
      slot.paths.set(path, { place: { route, page: fromPath ?? '' }, count: 1 });
      pathsHeld += 1;
    }
  }

  return {
    note(head) {
      const name = nameTab(head);
      if (name === null) return;
      const tab = findTab(`${head.app} ${name}`);
      const slot = findSlot(tab, head.startedAt);
      const one = sumOf(head);
      slot.sum = addSums(slot.sum, one);
      addSecond(slot, head.startedAt);
      addPath(slot, head);
      if (head.kind === 'document') slot.documents += 1;
      // Each flight comes here: only numbers are added until there is a storm.
      const requests = tab.slots.reduce((sum, each) => sum + each.sum.requests, 0);
      if (tab.storm && requests >= calmRequests) pending.add(name, tab.storm, one, head, [slot]);
      else if (tab.storm) {
        // What is left of it was counted.
        release(tab.slots);
        tab.slots = [];
        tab.storm = undefined;
      } else if (
        isMuch(
          requests,
          tab.slots.reduce((sum, { documents }) => sum + documents, 0),
        )
      ) {
        tab.storm = findStorm(tab, requests);
        if (tab.storm) {
          const all = tab.slots.reduce((sum, each) => addSums(sum, each.sum), nothing);
          pending.add(name, tab.storm, all, head, tab.slots);
        }
      }
    },
    take: pending.take,
  };
}

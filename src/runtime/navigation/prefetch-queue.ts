import type { PrefetchTrigger } from '#src/server/http/flight-headers.ts';

/**
 * Decides which prefetch runs next. Links ask for far more pages than may be fetched at once, and the page at which a
 * person points matters more than the pages that happen to be on the screen:
 *
 * - at most `limit` run; a running one gives its place back when its `run` settles or when it is released;
 * - intent (hover, focus, touch) goes before viewport; within each, the newest goes first;
 * - a link that left the viewport leaves the queue, unless a person also pointed at it;
 * - a navigation removes a key for good: it makes its own request and needs no place;
 * - `capacity` bounds how many wait; beyond it, the oldest viewport key is dropped first.
 *
 * Starts are deferred to the end of the current task, so that links seen together are ordered before the first one
 * runs.
 */
export type QueueOptions = {
  readonly limit: number;
  readonly capacity: number;
  /** Asked before each start. While it refuses, the key stays, and `pump` tries again. */
  readonly mayStart: (trigger: PrefetchTrigger) => boolean;
  /** Settles when the response has been read to its end, or has failed. */
  readonly run: (key: string, trigger: PrefetchTrigger) => Promise<unknown>;
  readonly onChange: () => void;
};

export type PrefetchQueue = {
  readonly want: (key: string, trigger: PrefetchTrigger) => void;
  /** The link is no longer in the viewport. */
  readonly leave: (key: string) => void;
  /** Removes a waiting key. True when it was waiting. */
  readonly take: (key: string) => boolean;
  /** Frees a running key's place before its run ends. True when it was running. */
  readonly release: (key: string) => boolean;
  /** Starts what may start now. */
  readonly pump: () => void;
  /** Oldest first. */
  readonly waiting: () => readonly string[];
  readonly running: () => readonly string[];
};

export function createPrefetchQueue({ limit, capacity, mayStart, run, onChange }: QueueOptions): PrefetchQueue {
  /** Oldest first. */
  const waiting = new Map<string, PrefetchTrigger>();
  const running = new Map<string, object>();
  let isPumpPlanned = false;

  function findNext() {
    const newestFirst = [...waiting].toReversed().filter(([, trigger]) => mayStart(trigger));
    return newestFirst.find(([, trigger]) => trigger !== 'viewport') ?? newestFirst[0];
  }

  function start(key: string, trigger: PrefetchTrigger) {
    const place = {};
    waiting.delete(key);
    running.set(key, place);
    function end() {
      // A released key may be running again. The place of that second run must stay taken.
      if (running.get(key) !== place) return;
      running.delete(key);
      pump();
      onChange();
    }
    run(key, trigger).then(end, end);
  }

  function pump() {
    while (running.size < limit) {
      const next = findNext();
      if (!next) return;
      start(...next);
      onChange();
    }
  }

  function planPump() {
    if (isPumpPlanned) return;
    isPumpPlanned = true;
    queueMicrotask(() => {
      isPumpPlanned = false;
      pump();
    });
  }

  function dropOldest() {
    const oldest = [...waiting].find(([, trigger]) => trigger === 'viewport') ?? [...waiting][0];
    if (oldest) waiting.delete(oldest[0]);
  }

  return {
    want(key, trigger) {
      if (running.has(key) || (trigger === 'viewport' && (waiting.get(key) ?? trigger) !== trigger)) return;
      waiting.delete(key);
      waiting.set(key, trigger);
      if (waiting.size > capacity) dropOldest();
      planPump();
      onChange();
    },
    leave(key) {
      if (waiting.get(key) !== 'viewport') return;
      waiting.delete(key);
      onChange();
    },
    take(key) {
      const was = waiting.delete(key);
      if (was) onChange();
      return was;
    },
    release(key) {
      const was = running.delete(key);
      if (was) {
        planPump();
        onChange();
      }
      return was;
    },
    pump,
    waiting: () => [...waiting.keys()],
    running: () => [...running.keys()],
  };
}

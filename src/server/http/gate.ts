import { writeLog } from './log.ts';
import { toNetwork } from './to-network.ts';

/** How many of one class of requests are answered at the same time. */
export type Gate = {
  /**
   * @param from an address
   * @returns what gives the place back, which may be called again; undefined when there is none
   */
  readonly enter: (from: string) => (() => void) | undefined;
  /** Whether `enter` would give a place now. Takes none, and counts nobody who is turned away. */
  readonly hasRoom: (from: string) => boolean;
  /** Every place has been taken for a while, and none was given back. */
  readonly isStuck: () => boolean;
};

export type GateOptions = {
  readonly limit: number;
  /**
   * For a class whose places somebody outside can hold for as long as they like. A network then gets a place only while it has
   * fewer than are free: the first network takes half of them at most, the second half of the rest, and a new one still
   * finds a place.
   */
  readonly sharedBy?: 'network';
};

/** A slow page takes a second or two. After this long, somebody holds the places. */
const stuckMs = 5_000;

/** One line when the first one is turned away, and one when there is room again: a line for each would be its own flood. */
export function createGate(name: string, { limit, sharedBy }: GateOptions): Gate {
  const inEach = new Map<string, number>();
  let inside = 0;
  let turnedAway = 0;
  let fullSince = Infinity;

  function findSharer(from: string): string | undefined {
    if (!sharedBy || from === '') return undefined;
    return toNetwork(from);
  }

  function mayEnter(sharer: string | undefined): boolean {
    const free = limit - inside;
    if (free <= 0) return false;
    return !sharedBy || sharer === undefined || (inEach.get(sharer) ?? 0) < free;
  }

  function count(sharer: string | undefined, by: 1 | -1): void {
    inside += by;
    fullSince = inside < limit ? Infinity : performance.now();
    if (sharer === undefined) return;
    const own = (inEach.get(sharer) ?? 0) + by;
    if (own > 0) inEach.set(sharer, own);
    else inEach.delete(sharer);
  }

  function noteRefusal(): void {
    if (turnedAway === 0) writeLog('warn', 'too-many-at-once', { class: name, limit });
    turnedAway += 1;
  }

  function noteRoom(): void {
    // One network alone may have half of the places.
    if (turnedAway === 0 || inside > limit / 4) return;
    writeLog('info', 'room-again', { class: name, turnedAway });
    turnedAway = 0;
  }

  return {
    enter(from) {
      const sharer = findSharer(from);
      if (!mayEnter(sharer)) {
        noteRefusal();
        return undefined;
      }
      count(sharer, 1);
      let isInside = true;
      return function leave() {
        if (!isInside) return;
        isInside = false;
        count(sharer, -1);
        noteRoom();
      };
    },
    hasRoom: (from) => mayEnter(findSharer(from)),
    isStuck: () => performance.now() - fullSince > stuckMs,
  };
}

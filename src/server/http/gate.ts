import { writeLog } from './log.ts';
import { toNetwork } from './to-network.ts';

/** How many of one class of requests are answered at the same time. */
export type Gate = {
  /** @returns what gives the place back, which may be called again; undefined when there is none */
  readonly enter: (address: string) => (() => void) | undefined;
  /** Whether `enter` would give a place now. Takes none, and counts nobody who is turned away. */
  readonly hasRoom: (address: string) => boolean;
  /** Every place has been taken for a while, and none was given back. */
  readonly isStuck: () => boolean;
};

export type GateOptions = {
  readonly limit: number;
  /**
   * For a class whose places strangers can hold for as long as they like. A network then gets a place only while it has
   * fewer than are free: the first network takes half of them at most, the second half of the rest, and a new one still
   * finds a place.
   */
  readonly sharedByNetwork?: boolean;
};

/** A slow page takes a second or two. After this long, somebody holds the places. */
const stuckMs = 5_000;

/** One line when the first one is turned away, and one when there is room again: a line for each would be its own flood. */
export function createGate(name: string, { limit, sharedByNetwork = false }: GateOptions): Gate {
  const byNetwork = new Map<string, number>();
  let inside = 0;
  let turnedAway = 0;
  let fullSince = Infinity;

  function findNetwork(address: string): string | undefined {
    return sharedByNetwork && address !== '' ? toNetwork(address) : undefined;
  }

  function mayEnter(network: string | undefined): boolean {
    const free = limit - inside;
    return free > 0 && (network === undefined || (byNetwork.get(network) ?? 0) < free);
  }

  function count(network: string | undefined, by: 1 | -1): void {
    inside += by;
    fullSince = inside < limit ? Infinity : performance.now();
    if (network === undefined) return;
    const own = (byNetwork.get(network) ?? 0) + by;
    if (own > 0) byNetwork.set(network, own);
    else byNetwork.delete(network);
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
    enter(address) {
      const network = findNetwork(address);
      if (!mayEnter(network)) {
        noteRefusal();
        return undefined;
      }
      count(network, 1);
      let isInside = true;
      return function leave() {
        if (!isInside) return;
        isInside = false;
        count(network, -1);
        noteRoom();
      };
    },
    hasRoom: (address) => mayEnter(findNetwork(address)),
    isStuck: () => performance.now() - fullSince > stuckMs,
  };
}

/**
 * Finds many short texts in one pass over bytes, as Wu and Manber do (1994): what the last two bytes of a window rule out is
 * skipped. Most payloads hold no secret, and of those this pass is all that is done.
 */
export type AnchorScan = (bytes: Uint8Array, onFound: (anchor: number, at: number) => Next) => void;

/** `stop` where nothing more has to be known. */
type Next = 'go-on' | 'stop';

/** A longer one would skip more; keys begin with no more than that. */
const shortestAnchor = 4;
/** The table of pairs is small enough for the processor's nearest memory. */
const hashBits = 13;
const mask = (1 << hashBits) - 1;

function hashPair(first: number, second: number): number {
  return ((first << 5) ^ second) & mask;
}

/** @throws RangeError for an anchor of fewer than four bytes */
export function compileAnchors(anchors: readonly Uint8Array[]): AnchorScan {
  const last = shortestAnchor - 1;
  const skips = new Uint8Array(mask + 1).fill(last);
  const ends: (readonly number[])[] = Array.from({ length: mask + 1 }, () => []);
  for (const [index, anchor] of anchors.entries()) {
    if (anchor.length < shortestAnchor) throw new RangeError('An anchor is too short');
    for (let at = 1; at <= last; at++) {
      const pair = hashPair(anchor[at - 1] ?? 0, anchor[at] ?? 0);
      skips[pair] = Math.min(skips[pair] ?? 0, last - at);
      if (at === last) ends[pair] = [...(ends[pair] ?? []), index];
    }
  }
  return (given, onFound) => {
    // Of one class: a Buffer among other arrays makes each read slower.
    const bytes = new Uint8Array(given.buffer, given.byteOffset, given.length);
    const { length } = bytes;
    for (let at = last; at < length;) {
      const pair = hashPair(bytes[at - 1] ?? 0, bytes[at] ?? 0);
      const skip = skips[pair] ?? 0;
      if (skip > 0) {
        at += skip;
        continue;
      }
      const start = at - last;
      for (const index of ends[pair] ?? []) {
        if (isAt(bytes, start, anchors[index]) && onFound(index, start) === 'stop') return;
      }
      at += 1;
    }
  };
}

function isAt(bytes: Uint8Array, start: number, anchor: Uint8Array | undefined): boolean {
  if (!anchor) return false;
  for (let at = 0; at < anchor.length; at++) if (bytes[start + at] !== anchor[at]) return false;
  return true;
}

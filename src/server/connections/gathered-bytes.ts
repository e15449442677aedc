/** Small pieces, copied one behind the other. A buffer for each would take a hundred times a piece of one byte. */
export type GatheredBytes = {
  readonly size: () => number;
  readonly add: (piece: Uint8Array) => void;
  /** All of them, once; empty where there are none. */
  readonly take: () => Buffer;
};

export function createGatheredBytes(): GatheredBytes {
  let gathered = Buffer.alloc(0);
  let size = 0;
  return {
    size: () => size,
    add(piece) {
      const needed = size + piece.byteLength;
      if (needed > gathered.byteLength) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * size));
        gathered.copy(larger, 0, 0, size);
        gathered = larger;
      }
      gathered.set(piece, size);
      size = needed;
    },
    take() {
      const whole = gathered.subarray(0, size);
      gathered = Buffer.alloc(0);
      size = 0;
      return whole;
    },
  };
}

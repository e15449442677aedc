import type { Token } from '#flight';

import type { TokenReader } from './raw-lines.ts';

type Bounds = { readonly start: number; readonly end: number };

/** Bytes that are looked at first for a neighbour: about a line. Each further look is four times as wide. */
const firstWindow = 128;

/** The first token that begins at `from` or after it. */
function findAfter(read: TokenReader, from: number, { end }: Bounds): Token | undefined {
  for (let size = firstWindow; ; size *= 4) {
    const token = read(from, Math.min(from + size, end)).find(({ start }) => start >= from);
    if (token || from + size >= end) return token;
  }
}

/** The last token that ends at `until` or before it. */
function findBefore(read: TokenReader, until: number, { start }: Bounds): Token | undefined {
  for (let size = firstWindow; ; size *= 4) {
    const token = read(Math.max(until - size, start), until).findLast(({ end }) => end <= until);
    if (token || until - size <= start) return token;
  }
}

/** The token that holds the byte, or the next one. */
function findAt(read: TokenReader, byte: number, bounds: Bounds): Token | undefined {
  return read(byte, byte + 1)[0] ?? findAfter(read, byte, bounds);
}

/**
 * The token to which a key leads: left and right to the neighbours, up and down by a line, Home and End to the row's first
 * and last. Undefined for another key.
 * @param current where the reader is; undefined before the first key
 */
export function moveToken(
  key: string,
  current: Token | undefined,
  read: TokenReader,
  bounds: Bounds,
  perLine: number,
): Token | undefined {
  const first = () => findAfter(read, bounds.start, bounds);
  switch (key) {
    case 'ArrowRight':
      return current ? (findAfter(read, current.end, bounds) ?? current) : first();
    case 'ArrowLeft':
      return current ? (findBefore(read, current.start, bounds) ?? current) : first();
    case 'ArrowDown': {
      if (!current) return first();
      const below = findAt(read, Math.min(current.start + perLine, bounds.end - 1), bounds);
      // A token of several lines: on to what follows it.
      return below && below.start > current.start ? below : (findAfter(read, current.end, bounds) ?? current);
    }
    case 'ArrowUp': {
      if (!current) return first();
      const byte = Math.max(current.start - perLine, bounds.start);
      return read(byte, byte + 1)[0] ?? findBefore(read, byte, bounds) ?? first();
    }
    case 'Home':
      return first();
    case 'End':
      return findBefore(read, bounds.end, bounds);
    default:
      return undefined;
  }
}

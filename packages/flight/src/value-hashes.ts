import type { Flight } from './flight.ts';
import { endAt, isStringKind, itemsEnd, kindAt, nextAt, startAt, type Tape } from './tape.ts';

/**
 * A hash for every value of the tape, by its place: of a string, its bytes; of a container, the hashes inside. Each byte
 * is read once, however deep it lies. Values that are the same have the same hash; the other way round the bytes decide.
 *
 * The seed is new each time, so that nobody can write a payload whose values all have one hash.
 */
export function hashValues(flight: Flight, seed: number): Uint32Array {
  const { rows, tape } = flight;
  const hashes = new Uint32Array(tape.size);
  for (let row = 0; row < rows.count; row++) {
    const model = rows.models[row] ?? 0;
    if (model !== 0) hashModel(flight, model - 1, hashes, seed);
  }
  return hashes;
}

/** FNV-1a of a piece of the payload. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 0;
}

function combine(hash: number, inner: number): number {
  const mixed = Math.imul(hash ^ inner, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** Where a container's items begin and end on the tape; undefined for a value without items. */
function containerEnd(tape: Tape, at: number): number | undefined {
  const end = itemsEnd(tape, at);
  return nextAt(tape, at) > at + 1 && !isStringKind(kindAt(tape, at)) ? end : undefined;
}

function hashModel(flight: Flight, root: number, hashes: Uint32Array, seed: number): void {
  const { tape, bytes } = flight;
  const open: { at: number; end: number; hash: number }[] = [];
  let at = root;
  for (;;) {
    let top = open.at(-1);
    while (top && at >= top.end) {
      open.pop();
      hashes[top.at] = top.hash;
      at = nextAt(tape, top.at);
      const outer = open.at(-1);
      if (outer) outer.hash = combine(outer.hash, top.hash);
      top = outer;
    }
    if (!top && at > root) return;
    const end = containerEnd(tape, at);
    if (end !== undefined) {
      open.push({ at, end, hash: combine(seed, kindAt(tape, at)) });
      at += 2;
      continue;
    }
    const hash = hashBytes(bytes, startAt(tape, at), endAt(tape, at, bytes), seed);
    hashes[at] = hash;
    if (!top) return;
    top.hash = combine(top.hash, hash);
    at = nextAt(tape, at);
  }
}

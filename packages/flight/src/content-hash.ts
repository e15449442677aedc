import { hashBytes, mixHash } from './byte-hash.ts';
import { readDollar } from './dollar.ts';
import { pageEnd } from './equal-values.ts';
import type { Flight } from './flight.ts';
import { readTargetId } from './promised-rows.ts';
import { resolveTarget } from './resolve.ts';
import { rowTagOf } from './row-tags.ts';
import { findRow, readHeader } from './row-index.ts';
import {
  arrayKind,
  codedDollarKind,
  codedKeyKind,
  codedKind,
  dollarKind,
  elementKind,
  endAt,
  kindAt,
  nextAt,
  objectKind,
  plainKind,
  startAt,
} from './tape.ts';
import { readString } from './value-text.ts';

/**
 * A number for each value, the same for values with the same content, whatever the ids of the rows are that they are made
 * of: references are followed, and an object's keys may come in any order. Two payloads' lists are matched by it. Values
 * with the same number are compared all the same, so a collision costs a worse match and no difference.
 *
 * Each value is hashed once; a payload that refers to itself is cut where the circle closes. No recursion: rows may be
 * nested as deep as a payload is long.
 */
export type ContentHashes = (at: number) => number;

/** One container whose items are being hashed, or a reference: its only item is what it refers to. */
type Open = { at: number; kind: number; next: number; end: number; hash: number; key: number };

/** Stands for a value that is hashed already further out. */
const circle = 1;

const encoder = new TextEncoder();

/** `seed`: the same for the two payloads, and new each time, so that nobody can write a payload of equal hashes. */
export function createContentHashes(flight: Flight, seed: number): ContentHashes {
  const { tape, rows, bytes } = flight;
  const known = new Uint32Array(tape.size);
  /** A text that is referred to a thousand times is read once. */
  const knownRows = new Map<number, number>();

  function hashText(at: number): number {
    const kind = kindAt(tape, at);
    if (kind === codedKind || kind === codedDollarKind || kind === codedKeyKind) {
      const text = encoder.encode(readString(flight, at));
      return hashBytes(text, 0, text.length, seed);
    }
    return hashBytes(bytes, startAt(tape, at) + 1, endAt(tape, at, bytes) - 1, seed);
  }

  function hashRow(row: number): number {
    const hash = knownRows.get(row) ?? hashPayload(row);
    knownRows.set(row, hash);
    return hash;
  }

  function hashPayload(row: number): number {
    const { tag, payloadStart, payloadEnd } = readHeader(rows, row);
    // Text hashes as the same text in place does.
    if (rowTagOf(tag).body === 'text') return hashBytes(bytes, payloadStart, payloadEnd, seed);
    return hashBytes(bytes, payloadStart, payloadEnd, seed ^ 0x51ed27);
  }

  /** Where a reference leads on the tape, or the hash of what is there. */
  function follow(at: number): { target: number } | { hash: number } {
    const form = readDollar(readString(flight, at), flight.direction);
    const id = form.kind === 'omitted' ? undefined : readTargetId(form);
    if (id === undefined) return { hash: form.kind === 'omitted' ? 2 : hashText(at) };
    if ('path' in form && Array.isArray(form.path) && form.path.length > 0) {
      const found = resolveTarget(flight, { id, path: form.path });
      if (found.kind === 'value') return { target: found.value.at };
      return { hash: found.kind === 'row' ? hashRow(found.row.row) : 3 };
    }
    const row = findRow(rows, id);
    if (row === undefined) return { hash: 3 };
    const model = rows.models[row] ?? 0;
    return model === 0 ? { hash: hashRow(row) } : { target: model - 1 };
  }

  /** The hash of a value that is known, or that holds no others; else a frame is opened for it. */
  function enter(open: Open[], at: number): number | undefined {
    const before = known[at] ?? 0;
    if (before !== 0) return before;
    const kind = kindAt(tape, at);
    if (kind === arrayKind || kind === objectKind || kind === elementKind) {
      known[at] = circle;
      open.push({ at, kind, next: at + 2, end: pageEnd(flight, at), hash: mixHash(seed ^ kind), key: 0 });
      return undefined;
    }
    if (kind === dollarKind || kind === codedDollarKind) {
      const found = follow(at);
      if ('hash' in found) return found.hash;
      known[at] = circle;
      const form = isTransparent(readString(flight, at)) ? 0 : 0x2545f491;
      open.push({ at, kind, next: found.target, end: found.target + 1, hash: form, key: 0 });
      return undefined;
    }
    const isText = kind === plainKind || kind === codedKind;
    const hash = isText ? hashText(at) : hashBytes(bytes, startAt(tape, at), endAt(tape, at, bytes), seed ^ 0x1f35);
    known[at] = Math.max(hash >>> 0, circle + 1);
    return known[at];
  }

  /** Goes to the next item of a container; returns its place. */
  function step(top: Open): number {
    if (top.kind === dollarKind || top.kind === codedDollarKind) {
      const target = top.next;
      top.next = top.end;
      return target;
    }
    const at = top.kind === objectKind ? top.next + 2 : top.next;
    top.key = top.kind === objectKind ? hashText(top.next) : 0;
    top.next = nextAt(tape, at);
    return at;
  }

  return function hashAt(root: number): number {
    const open: Open[] = [];
    let result = enter(open, root);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      if (result !== undefined) top.hash = join(top, result);
      if (top.next < top.end) {
        result = enter(open, step(top));
        continue;
      }
      open.pop();
      // 0 and `circle` have a meaning of their own.
      result = Math.max(top.hash >>> 0, circle + 1);
      known[top.at] = result;
    }
    return result ?? circle;
  };
}

/** References and lazy values stand for the value itself; the other forms (a Map, a promise) say something about it. */
function isTransparent(text: string): boolean {
  return /^\$L?[0-9a-f]/.test(text);
}

/** An object's entries are added up, so that their order does not matter. A reference is what it refers to. */
function join({ kind, hash, key }: Open, result: number): number {
  if (kind === objectKind) return (hash + mixHash(Math.imul(key, 0x9e3779b1) ^ result)) >>> 0;
  if (kind === dollarKind || kind === codedDollarKind) return hash === 0 ? result : mixHash(hash ^ result);
  return mixHash(Math.imul(hash, 0x01000193) ^ result);
}

import 'server-only';

import { setImmediate as nextTurn } from 'node:timers/promises';

import { partsPerEnvelope } from '../receive/untrusted-json.ts';

/**
 * Makes an event that is too large small enough to be read, without parsing it: the largest parts that an error can do
 * without become `null`, and a text of many kilobytes is cut. One pass over the bytes finds them; the event is JSON from a stranger, so
 * the pass keeps no more than a list of places, and gives up where the nesting is deeper than any event's. It goes on
 * in the next turn of the event loop again and again: 8 MB of frames or of items kept the thread for 60 ms.
 *
 * What is left may still be no JSON: whoever parses it finds out.
 */
const optionalParts: ReadonlySet<string> = new Set([
  'breadcrumbs',
  'extra',
  'modules',
  'spans',
  'threads',
  'debug_meta',
  '_meta',
  '_metrics_summary',
]);
/** In frames, at any depth. */
const frameParts = [
  ['vars', 'variables'],
  ['pre_context', 'source lines'],
  ['post_context', 'source lines'],
] as const;
/** Only when nothing else helps: they say where it happened. */
const lastParts: ReadonlySet<string> = new Set(['contexts', 'request', 'user', 'tags', 'sdk']);
const longTexts = 'long texts';

/** Twice the longest text of a row. */
const longText = 16 * 1024;
const textKept = 8 * 1024;
/** The deepest event of Sentry's own test data has some twenty. */
const deepest = 512;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Brackets, commas and quotes that are looked at: 15 ms. The largest event of Sentry's own test data has 60,000. 2 kB of zstd unpack to
 * millions of them, which would hold up everybody else for a second.
 */
const mostSteps = 600_000;
/** Bytes outside of texts, one by one: another 10 ms. They are numbers and names' colons; blanks, where somebody fills them. */
const mostBetween = 2 * 1024 * 1024;

/** In one turn of the event loop: 2 ms at the most, because those of a dozen senders may be in the same turn. */
const stepsPerTurn = 30_000;
const betweenPerTurn = 128 * 1024;
/** Most texts are shorter; for them a search is slower than a loop. */
const shortText = 32;

/** Counted down over one event; below 0 nothing more is looked at. At `pauseAt` the turn is over. */
type Steps = { left: number; pauseAt: number };

function isEscaped(bytes: Buffer, at: number): boolean {
  let slashes = 0;
  while (bytes[at - 1 - slashes] === backslash) slashes += 1;
  return slashes % 2 === 1;
}

function findQuote(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + shortText);
  for (let at = from; at < near; at += 1) if (bytes[at] === quote) return at;
  return bytes.indexOf(quote, near);
}

/** @returns where the text ends; below 0 when the turn is over: `~` of it is where to go on */
function findStringEnd(bytes: Buffer, from: number, steps: Steps): number {
  for (let at = findQuote(bytes, from); at !== -1 && steps.left > 0; at = findQuote(bytes, at + 1)) {
    steps.left -= 1;
    if (!isEscaped(bytes, at)) return at;
    if (steps.left <= steps.pauseAt) return ~(at + 1);
  }
  return bytes.length;
}

/** As bytes: texts made of 100,000 names are garbage that is collected in the same turn. */
const namesOfEvent = [...optionalParts, ...lastParts].map((name) => ({ group: name, bytes: Buffer.from(name) }));
const namesOfFrames = frameParts.map(([name, group]) => ({ group, bytes: Buffer.from(name) }));

function nameGroup(bytes: Buffer, start: number, end: number, depth: number): string | undefined {
  for (const name of depth === 1 ? namesOfEvent : namesOfFrames) {
    if (depth === 0 || name.bytes.length !== end - start) continue;
    let at = 0;
    while (at < name.bytes.length && name.bytes[at] === bytes[start + at]) at += 1;
    if (at === name.bytes.length) return name.group;
  }
  return undefined;
}

/** Side by side, in the order of the bytes: an object for each of them is slow to make and to collect. None is in another one. */
type Places = { readonly groups: string[]; readonly starts: number[]; readonly ends: number[] };

/** Where each optional part stands. Undefined when it is nested too deep, or has too many parts. */
async function findParts(bytes: Buffer): Promise<Places | undefined> {
  const places: Places = { groups: [], starts: [], ends: [] };
  const isObject: boolean[] = [];
  const steps = { left: mostSteps, pauseAt: mostSteps - stepsPerTurn };
  let betweenPause = betweenPerTurn;
  let depth = 0;
  let isName = false;
  let next: string | undefined;
  let open: { readonly group: string; readonly start: number; readonly depth: number } | undefined;

  function add(group: string, start: number, end: number): void {
    places.groups.push(group);
    places.starts.push(start);
    // Beyond the last byte when a text does not end.
    places.ends.push(Math.min(end, bytes.length));
  }

  function readString(start: number, end: number): void {
    if (isName) {
      isName = false;
      next = open ? undefined : nameGroup(bytes, start + 1, end, depth);
    } else if (!open) {
      const group = next ?? (end - start > longText ? longTexts : undefined);
      if (group !== undefined) add(group, start, end + 1);
      next = undefined;
    }
  }

  for (let at = 0, between = 0; at < bytes.length; at += 1, between += 1) {
    // Each place has a colon or a comma before it, which stays: what is left would not be read.
    if (steps.left <= 0 || between > mostBetween || places.groups.length > partsPerEnvelope) return undefined;
    if (steps.left <= steps.pauseAt || between > betweenPause) {
      await nextTurn();
      steps.pauseAt = steps.left - stepsPerTurn;
      betweenPause = between + betweenPerTurn;
    }
    switch (bytes[at]) {
      case quote: {
        let end = findStringEnd(bytes, at + 1, steps);
        while (end < 0) {
          await nextTurn();
          steps.pauseAt = steps.left - stepsPerTurn;
          end = findStringEnd(bytes, ~end, steps);
        }
        readString(at, end);
        at = end;
        break;
      }
      case openBrace:
      case openBracket:
        steps.left -= 1;
        depth += 1;
        if (depth > deepest) return undefined;
        isName = isObject[depth] = bytes[at] === openBrace;
        if (next !== undefined) open = { group: next, start: at, depth };
        next = undefined;
        break;
      case closeBrace:
      case closeBracket:
        if (open?.depth === depth) {
          add(open.group, open.start, at + 1);
          open = undefined;
        }
        depth -= 1;
        isName = false;
        break;
      case comma:
        steps.left -= 1;
        isName = isObject[depth] === true;
        next = undefined;
        break;
    }
  }
  return steps.left > 0 ? places : undefined;
}

/** The beginning of a JSON text, cut where no escape and no character of several bytes is. */
function cutText(bytes: Buffer, start: number, end: number): Buffer {
  const most = Math.min(start + textKept, end - 1);
  // An escape has six bytes at most, a pair of them twelve.
  let at = most;
  while (at > start + 1 && (bytes.subarray(at - 12, at).includes(backslash) || ((bytes[at] ?? 0) & 0xc0) === 0x80)) {
    at -= 1;
  }
  return Buffer.concat([bytes.subarray(start, at), Buffer.from('"')]);
}

const nothing = Buffer.from('null');

/** Into one buffer: a view for each piece costs more than its bytes. @param size what is left, but for a quote after each text */
function replaceParts(bytes: Buffer, { groups, starts, ends }: Places, dropped: ReadonlySet<string>, size: number) {
  const left = Buffer.allocUnsafe(size + groups.length);
  let [from, to] = [0, 0];
  for (const [index, group] of groups.entries()) {
    const [start = 0, end = 0] = [starts[index], ends[index]];
    if (!dropped.has(group)) continue;
    to += bytes.copy(left, to, from, start);
    to += (group === longTexts ? cutText(bytes, start, end) : nothing).copy(left, to);
    from = end;
  }
  to += bytes.copy(left, to, from);
  return left.subarray(0, to);
}

/** How many bytes are saved by each part, the least of them. */
function sumParts({ groups, starts, ends }: Places): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [index, group] of groups.entries()) {
    const bytes = (ends[index] ?? 0) - (starts[index] ?? 0);
    const left = group === longTexts ? textKept : nothing.length;
    sums.set(group, (sums.get(group) ?? 0) + bytes - left);
  }
  return sums;
}

export type TrimmedEvent = {
  readonly bytes: Uint8Array;
  /** What was left out, for the row: `breadcrumbs`, `variables`. */
  readonly leftOut: readonly string[];
};

/**
 * @param limit in bytes
 * @param isReadable whether what is left can be read; asked only of what is within the limit
 * @returns undefined when nothing of the event can be left out that would be enough
 */
export async function trimEvent(
  given: Uint8Array,
  limit: number,
  isReadable: (bytes: Uint8Array) => boolean,
): Promise<TrimmedEvent | undefined> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const places = await findParts(bytes);
  if (!places) return undefined;
  const bySize = [...sumParts(places)].toSorted(([a, saved], [b, otherSaved]) => {
    return Number(lastParts.has(a)) - Number(lastParts.has(b)) || otherSaved - saved;
  });
  const dropped = new Set<string>();
  let size = bytes.length;
  for (const [group, saved] of bySize) {
    dropped.add(group);
    size -= saved;
    if (size > limit) continue;
    await nextTurn();
    const left = replaceParts(bytes, places, dropped, size);
    if (left.length <= limit && isReadable(left)) return { bytes: left, leftOut: [...dropped] };
  }
  return undefined;
}

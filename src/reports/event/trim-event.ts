import 'server-only';

/**
 * Makes an event that is too large small enough to be read, without parsing it: the largest parts that an occurrence can do
 * without become `null`, and a text of many kilobytes is cut. One pass over the bytes finds them; the event is JSON from a stranger, so
 * the pass keeps no more than a list of places, and gives up where the nesting is deeper than any event's.
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
const framePart: Readonly<Record<string, string>> = {
  vars: 'variables',
  pre_context: 'source lines',
  post_context: 'source lines',
};
/** Only when nothing else helps: they say where it happened. */
const lastParts: ReadonlySet<string> = new Set(['contexts', 'request', 'user', 'tags', 'sdk']);
const longTexts = 'long texts';

/** Twice the longest text of a row. */
const longText = 16 * 1024;
const textKept = 8 * 1024;
/** The deepest event of Sentry's own test data has some twenty. */
const deepest = 512;
/** `"vars"` and its like; longer names are nothing of these. */
const longestName = 20;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

type Place = { readonly start: number; readonly end: number };

/**
 * Brackets, commas and quotes that are looked at: 15 ms. The largest event of Sentry's own test data has 60,000. 2 kB of zstd unpack to
 * millions of them, which would hold up everybody else for a second.
 */
const mostSteps = 600_000;
/** Bytes outside of texts, one by one: another 10 ms. They are numbers and names' colons; blanks, where somebody fills them. */
const mostBetween = 2 * 1024 * 1024;

/** Counted down over one event; below 0 nothing more is looked at. */
type Steps = { left: number };

function findStringEnd(bytes: Buffer, start: number, steps: Steps): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1 && steps.left > 0; at = bytes.indexOf(quote, at + 1)) {
    steps.left -= 1;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return bytes.length;
}

function nameGroup(name: string, depth: number): string | undefined {
  if (depth === 1 && (optionalParts.has(name) || lastParts.has(name))) return name;
  return depth > 1 && Object.hasOwn(framePart, name) ? framePart[name] : undefined;
}

/** Where each optional part stands. Undefined when it is nested too deep, or has too many parts. */
function findParts(bytes: Buffer): Map<string, Place[]> | undefined {
  const parts = new Map<string, Place[]>();
  const isObject: boolean[] = [];
  const steps = { left: mostSteps };
  let depth = 0;
  let isName = false;
  let next: string | undefined;
  let open: { readonly group: string; readonly start: number; readonly depth: number } | undefined;

  function add(group: string, start: number, end: number): void {
    const places = parts.get(group) ?? [];
    places.push({ start, end });
    parts.set(group, places);
  }

  function readString(start: number): number {
    const end = findStringEnd(bytes, start, steps);
    if (isName) {
      isName = false;
      next = open || end - start > longestName ? undefined : nameGroup(bytes.toString('latin1', start + 1, end), depth);
    } else if (!open) {
      const group = next ?? (end - start > longText ? longTexts : undefined);
      if (group !== undefined) add(group, start, end + 1);
      next = undefined;
    }
    return end;
  }

  for (let at = 0, between = 0; at < bytes.length; at += 1, between += 1) {
    if (steps.left <= 0 || between > mostBetween) return undefined;
    switch (bytes[at]) {
      case quote:
        at = readString(at);
        break;
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
  return steps.left > 0 ? parts : undefined;
}

/** The beginning of a JSON text, cut where no escape and no character of several bytes is. */
function cutText(bytes: Buffer, { start, end }: Place): Buffer {
  const most = Math.min(start + textKept, end - 1);
  // An escape has six bytes at most, a pair of them twelve.
  let at = most;
  while (at > start + 1 && (bytes.subarray(at - 12, at).includes(backslash) || ((bytes[at] ?? 0) & 0xc0) === 0x80)) {
    at -= 1;
  }
  return Buffer.concat([bytes.subarray(start, at), Buffer.from('"')]);
}

const nothing = Buffer.from('null');

function replaceParts(bytes: Buffer, dropped: ReadonlyMap<string, readonly Place[]>): Buffer {
  const all = Array.from(dropped, ([group, places]) => places.map((place) => ({ group, ...place })))
    .flat()
    .toSorted((a, b) => a.start - b.start);
  const pieces: Buffer[] = [];
  let at = 0;
  for (const place of all) {
    pieces.push(bytes.subarray(at, place.start), place.group === longTexts ? cutText(bytes, place) : nothing);
    at = place.end;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}

function sum(places: readonly Place[]): number {
  return places.reduce((bytes, { start, end }) => bytes + end - start, 0);
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
export function trimEvent(
  given: Uint8Array,
  limit: number,
  isReadable: (bytes: Uint8Array) => boolean,
): TrimmedEvent | undefined {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const parts = findParts(bytes);
  if (!parts) return undefined;
  const bySize = [...parts].toSorted(([a, one], [b, other]) => {
    return Number(lastParts.has(a)) - Number(lastParts.has(b)) || sum(other) - sum(one);
  });
  const dropped = new Map<string, readonly Place[]>();
  let size = bytes.length;
  for (const [group, places] of bySize) {
    dropped.set(group, places);
    size -= sum(places) - places.length * (group === longTexts ? textKept : nothing.length);
    if (size > limit) continue;
    const left = replaceParts(bytes, dropped);
    if (left.length <= limit && isReadable(left)) return { bytes: left, leftOut: [...dropped.keys()] };
  }
  return undefined;
}

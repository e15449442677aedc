import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';

/**
 * Puts a text at the beginning of a page that is compressed with gzip, without unpacking the page. A gzip body is a header, blocks of
 * deflate, and a checksum with the length. What a block refers to lies before it in the page, so blocks of our own can only go before the
 * first one: there nothing refers across them. Ours are compressed by themselves and end on a byte; the app's blocks follow as they are.
 *
 * The text comes before the page's `<!DOCTYPE html>` then, so it begins with one of its own. A browser reads the same page: the second
 * doctype and the second `<head>` are passed over, and the attributes of `<html>` are added to the element that is there (HTML, 13.2.6).
 * That holds for a page that begins as React writes it. Whitespace in between would become text of the head, and attributes of
 * `<head>` would be lost: such a page is none of these.
 */
const doctype = '<!DOCTYPE html>';
const attributes = String.raw`(?:\s(?:[^"'>]|"[^"]*"|'[^']*')*)?`;
/** Next.js names its build in a comment. */
const asReactWrites = new RegExp(`^<!doctype html>(?:<!--[\\w-]{1,200}-->)?<html${attributes}><head>`, 'i');

/** Without a name or a comment in it: as servers compress what they send. */
const headerBytes = 10;
const plainHeader = Buffer.from([0x1f, 0x8b, 8, 0]);
/** The checksum and the length of what is packed. */
const trailerBytes = 8;
/** What a flush ends with. The length at the end of a page is never so: that page would have 4 GB. */
const flushed = Buffer.from([0, 0, 0xff, 0xff]);
/** What stands before a head is short, and packed even shorter: most pages show it in the first of these. */
const lookedBytes = [256, 2 * 1024] as const;
/** Next.js names its build in a comment, and apps put classes and styles on the element. */
const startBytes = 4 * 1024;
/** Deflate makes no more of one byte. */
const mostOfOne = 1_032;

/** CRC-32's polynomial, its bits reversed; and x to the eighth, by which a byte moves a checksum. */
const polynomial = 0xedb88320;
const oneByte = 1 << 23;

/** Of two polynomials, modulo that one. */
function multiply(a: number, b: number): number {
  let [product, moved] = [0, b];
  for (let bit = 31; bit >= 0; bit -= 1) {
    if ((a >>> bit) & 1) product ^= moved;
    moved = moved & 1 ? (moved >>> 1) ^ polynomial : moved >>> 1;
  }
  return product;
}

/** The checksum of two texts behind each other, from that of each: the page is not read for it (zlib's `crc32_combine`). */
function joinChecksums(first: number, second: number, secondBytes: number): number {
  let [joined, power] = [first, oneByte];
  for (let left = secondBytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) joined = multiply(power, joined);
    power = multiply(power, power);
  }
  return (joined ^ second) >>> 0;
}

type Packed = { readonly text: string; readonly blocks: Buffer; readonly checksum: number; readonly bytes: number };

/** Of a policy with a nonce each text is another one; else all are the same. */
let last: Packed | undefined;

function pack(text: string): Packed {
  if (last?.text === text) return last;
  const bytes = Buffer.from(doctype + text);
  // Little memory: it is cleared for each.
  const blocks = deflateRawSync(bytes, { level: 1, memLevel: 3, windowBits: 11, finishFlush: constants.Z_SYNC_FLUSH });
  return (last = { text, blocks, checksum: crc32(bytes), bytes: bytes.length });
}

function unpackStart(body: Buffer, lookedAt: number): string | undefined {
  try {
    const unpacked = gunzipSync(body.subarray(0, lookedAt), {
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: 4 * 1024,
      maxOutputLength: lookedAt * mostOfOne,
    });
    return unpacked.toString('latin1', 0, startBytes);
  } catch {
    return undefined;
  }
}

type Judgement = 'yes' | 'no' | 'more';

function judgeStart(start: string | undefined): Judgement {
  if (start === undefined) return 'no';
  if (asReactWrites.test(start)) return 'yes';
  return start.length < startBytes ? 'more' : 'no';
}

/** By its first bytes: a static page begins alike each time, and to unpack them costs more than all the rest. */
const judged = new Map<string, Judgement>();
const judgedKept = 500;

function judgeFirst(body: Buffer): Judgement {
  const first = body.toString('latin1', 0, lookedBytes[0]);
  const known = judged.get(first);
  if (known) return known;
  const found = judgeStart(unpackStart(body, lookedBytes[0]));
  if (judged.size === judgedKept) judged.clear();
  judged.set(first, found);
  return found;
}

/** @returns `more`: what is there says nothing yet */
function judge(body: Buffer): Judgement {
  if (body.length < headerBytes) return 'more';
  if (!body.subarray(0, plainHeader.length).equals(plainHeader)) return 'no';
  const first = judgeFirst(body);
  if (first !== 'more') return first;
  const found = body.length > lookedBytes[0] ? judgeStart(unpackStart(body, lookedBytes[1])) : first;
  if (found !== 'more') return found;
  return body.length < lookedBytes[1] && !isFlushed(body) ? 'more' : 'no';
}

function isFlushed(body: Buffer): boolean {
  return body.subarray(-flushed.length).equals(flushed);
}

export type Prepender = {
  /** The next bytes of the page. @returns what goes on */
  readonly next: (bytes: Uint8Array) => Buffer;
  /** What is left at its end. */
  readonly end: () => Buffer;
};

/** @param begun the first bytes of the page. Undefined: it does not begin so; `more`: they are too few to say */
export function openPrepender(begun: Buffer, text: string): Prepender | 'more' | undefined {
  const found = judge(begun);
  if (found !== 'yes') return found === 'more' ? 'more' : undefined;
  const added = pack(text);
  let received = 0;
  let isBegun = false;
  /** The last bytes may be the checksum. What was flushed goes on at once. */
  let held: Buffer = Buffer.alloc(0);

  return {
    next(bytes) {
      received += bytes.length;
      const body = isBegun
        ? [held, bytes]
        : [begun.subarray(0, headerBytes), added.blocks, bytes.subarray(headerBytes)];
      isBegun = true;
      const all = Buffer.concat(body);
      const end = isFlushed(all) ? all.length : Math.max(0, all.length - trailerBytes);
      held = all.subarray(end);
      return all.subarray(0, end);
    },
    end() {
      if (held.length < trailerBytes) return held;
      const [checksum, length] = [held.readUInt32LE(0), held.readUInt32LE(4)];
      // The app broke it off: these are bytes of the page.
      if (length > received * mostOfOne) return held;
      const trailer = Buffer.alloc(trailerBytes);
      trailer.writeUInt32LE(joinChecksums(added.checksum, checksum, length), 0);
      trailer.writeUInt32LE((length + added.bytes) >>> 0, 4);
      return trailer;
    },
  };
}

/**
 * What each byte of a payload costs after compression, estimated. No library: this is the model of DEFLATE that gzip and
 * most servers use, without its output. Text that came within the last 32 KiB is a match, which costs the bits of its
 * length and its distance; any other byte is a literal. A symbol costs the logarithm of how seldom it is in its block,
 * which is what a Huffman code comes close to.
 *
 * So a second copy of a text costs two or three bytes, and a part's cost is what the compressed payload spends on it. The
 * costs of all parts add up to `total`. It is no promise about another payload: without the first copy, the second would
 * be the first.
 *
 * A server that flushes what it has written may forget all text before: Node's `flush()` does, if nobody asks it for another way, and
 * Next.js calls it after each piece. There a copy in another piece costs what the first did. `cuts` are the places of such flushes.
 *
 * Matches are found as zlib does at its usual level, by chains of places with equal four bytes, looking at few of them.
 * Time is linear in the payload; memory is about its size.
 */
export type Compression = {
  /** Bytes of the whole payload after compression. */
  readonly total: number;
  /** Bytes that `bytes[start, end)` take of it, with a fraction. */
  readonly of: (start: number, end: number) => number;
  /** Where all text before is forgotten, in order. */
  readonly cuts: readonly number[];
  /** What other bytes would take by the estimate, with cuts of their own. */
  readonly measure: (bytes: Uint8Array, cuts: readonly number[]) => number;
};

/** The same, where it is known by how much more the server sent. */
export function scaleCompression(compression: Compression, factor: number): Compression {
  const { total, of } = compression;
  return { ...compression, total: total * factor, of: (start, end) => of(start, end) * factor };
}

/** Of a response that was sent as it is: each byte takes one. */
export function countUncompressed(bytes: number): Compression {
  return { total: bytes, of: (start, end) => end - start, cuts: [], measure: ({ length }) => length };
}

const windowSize = 1 << 15;
const minMatch = 4;
const maxMatch = 258;
const hashBits = 15;

/** Places of a chain that are compared; zlib's usual level looks at more, and gains 1 to 2 % by it. */
const maxChain = 12;

/** A match this long is taken as it is, and one this long without a look at the next byte, as zlib's usual level does. */
const niceMatch = 128;
const lazyMatch = 16;

/** Runs and matches of one block: zlib's blocks have at most 16 384 symbols. */
const blockTokens = 1 << 13;

/** What a block's code tables cost, in bits: for themselves, and for each symbol that the block has (RFC 1951, 3.2.7). */
const tableBits = 60;
const tableBitsOfSymbol = 3.6;

/** Of gzip: head and checksum. */
const frameBytes = 18;
/** An empty block, up to the next whole byte. */
const flushBits = 40;

/** Costs are kept as eighths of a bit: 2³² of them are 64 MiB of compressed bytes. */
const scale = 8;

const literals = 256;
const lengthCodes = 29;
const distanceCodes = 30;

/** DEFLATE's code of each length from 3 to 258, and the extra bits of each code (RFC 1951, 3.2.5). */
const lengthCodeOf = new Uint8Array(maxMatch + 1);
const lengthExtra = new Uint8Array(lengthCodes);
for (let code = 0, length = 3; code < lengthCodes; code++) {
  const extra = code < 8 || code === lengthCodes - 1 ? 0 : (code >> 2) - 1;
  lengthExtra[code] = extra;
  for (let step = 0; step < 1 << extra && length <= maxMatch; step++) lengthCodeOf[length++] = code;
}
lengthCodeOf[maxMatch] = lengthCodes - 1;

function distanceCodeOf(distance: number): number {
  const from = distance - 1;
  if (from < 4) return from;
  const bits = 31 - Math.clz32(from);
  return bits * 2 + ((from >> (bits - 1)) & 1);
}

function distanceExtra(code: number): number {
  return code < 4 ? 0 : (code >> 1) - 1;
}

type Tokens = {
  /** Where each token begins, and the costs of all tokens before it. */
  starts: Uint32Array;
  costs: Uint32Array;
  count: number;
};

type Block = {
  /** Of the block's tokens: where each begins; its length when it is a match, 0 for a run of literals; its distance's code. */
  starts: Uint32Array;
  lengths: Uint16Array;
  distances: Uint8Array;
  count: number;
  /** How often each literal and each length is there, and each distance. */
  symbols: Uint32Array;
  distanceCounts: Uint32Array;
};

export function estimateCompression(bytes: Uint8Array, cuts: readonly number[] = []): Compression {
  const tokens: Tokens = { starts: new Uint32Array(1024), costs: new Uint32Array(1024), count: 0 };
  const spent = tokenize(bytes, tokens, cuts);
  const { starts, costs, count } = tokens;
  let last = 0;
  /** The costs of the first `offset` bytes. Most callers go forward, so the next tokens are tried first. */
  function upTo(offset: number): number {
    let token = last;
    if ((starts[token] ?? 0) > offset) token = find(starts, count, offset);
    else {
      const near = Math.min(count - 1, token + 4);
      while (token < near && (starts[token + 1] ?? 0) <= offset) token++;
      if (token === near && token + 1 < count) token = find(starts, count, offset);
    }
    last = token;
    const start = starts[token] ?? 0;
    const isLast = token + 1 >= count;
    const end = isLast ? bytes.length : (starts[token + 1] ?? 0);
    const before = costs[token] ?? 0;
    const after = isLast ? spent : (costs[token + 1] ?? 0);
    return end <= start ? before : before + ((after - before) * (Math.min(offset, end) - start)) / (end - start);
  }
  return {
    total: bytes.length === 0 ? 0 : Math.ceil(spent / scale / 8) + frameBytes,
    of: (start, end) => Math.max(0, upTo(end) - upTo(start)) / scale / 8,
    cuts,
    measure: (other, cutsOf) => estimateCompression(other, cutsOf).total,
  };
}

/** The last token that begins at or before `offset`. */
function find(starts: Uint32Array, count: number, offset: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

/** Makes runs of literals and matches of the bytes, and says what each costs. @returns the costs of all */
function tokenize(bytes: Uint8Array, tokens: Tokens, cuts: readonly number[]): number {
  const heads = new Int32Array(1 << hashBits).fill(-1);
  const chain = new Int32Array(windowSize).fill(-1);
  const block: Block = {
    starts: new Uint32Array(blockTokens),
    lengths: new Uint16Array(blockTokens),
    distances: new Uint8Array(blockTokens),
    count: 0,
    symbols: new Uint32Array(literals + lengthCodes + 1),
    distanceCounts: new Uint32Array(distanceCodes),
  };
  const search: Search = { bytes, heads, chain, block, tokens, spent: 0, length: 0, distance: 0, from: 0, size: 0 };
  for (const end of [...cuts, bytes.length]) {
    if (end <= search.size) continue;
    if (search.size > 0) search.spent += flushBits * scale;
    search.from = search.size;
    search.size = end;
    tokenizePiece(search);
  }
  return search.spent;
}

function tokenizePiece(search: Search): void {
  const { bytes, block, size } = search;
  let isRun = false;
  let at = search.from;
  findMatch(search, at);
  while (at < size) {
    const { length, distance } = search;
    if (at + minMatch <= size) enter(search, at);
    // As zlib does: a short match is given up for a longer one that begins a byte later.
    if (length >= minMatch) findMatch(search, at + 1, length < lazyMatch ? length : maxMatch);
    if (length >= minMatch && search.length <= length) {
      open(search, at, length, distance);
      isRun = false;
      const end = Math.min(at + length, size - minMatch + 1);
      for (let place = at + 1; place < end; place++) enter(search, place);
      at += length;
      findMatch(search, at);
      continue;
    }
    if (!isRun || block.count === blockTokens) open(search, at, 0, 0);
    isRun = true;
    const literal = bytes[at] ?? 0;
    block.symbols[literal] = (block.symbols[literal] ?? 0) + 1;
    at += 1;
    if (length < minMatch) findMatch(search, at);
  }
  closeBlock(search, size);
}

type Search = {
  bytes: Uint8Array;
  /** The last place of each hash, and before each place the one with the same hash. */
  heads: Int32Array;
  chain: Int32Array;
  block: Block;
  tokens: Tokens;
  /** Costs of all closed blocks. */
  spent: number;
  /** The piece between two flushes. Nothing before it is known, and no match goes beyond it. */
  from: number;
  size: number;
  /** Of the match that was found last. */
  length: number;
  distance: number;
};

function hashAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  const high = (bytes[at + 2] ?? 0) | ((bytes[at + 3] ?? 0) << 8);
  return Math.imul(low | (high << 16), 0x9e3779b1) >>> (32 - hashBits);
}

function enter({ bytes, heads, chain }: Search, at: number): void {
  const hash = hashAt(bytes, at);
  chain[at & (windowSize - 1)] = heads[hash] ?? -1;
  heads[hash] = at;
}

/** The longest of the last places that match the bytes at `at`, if it is longer than `least`. */
function findMatch(search: Search, at: number, least = minMatch - 1): void {
  const { bytes, heads, chain, from } = search;
  search.length = 0;
  const limit = Math.min(maxMatch, search.size - at);
  if (limit < minMatch || least >= limit) return;
  let best = least;
  let candidate = heads[hashAt(bytes, at)] ?? -1;
  for (let tries = 0; tries < maxChain && candidate >= from && at - candidate < windowSize; tries++) {
    if (bytes[candidate + best] === bytes[at + best]) {
      let length = 0;
      while (length < limit && bytes[candidate + length] === bytes[at + length]) length++;
      if (length > best) {
        best = length;
        search.length = length;
        search.distance = at - candidate;
        if (length >= niceMatch || length === limit) return;
      }
    }
    const before = chain[candidate & (windowSize - 1)] ?? -1;
    // A place whose entry was overwritten leads forward.
    candidate = before < candidate ? before : -1;
  }
}

/** Begins a token: a match, or with length 0 a run of literals. */
function open(search: Search, at: number, length: number, distance: number): void {
  const { block } = search;
  if (block.count === blockTokens) closeBlock(search, at);
  block.starts[block.count] = at;
  block.lengths[block.count] = length;
  if (length > 0) {
    const code = distanceCodeOf(distance);
    block.distances[block.count] = code;
    block.distanceCounts[code] = (block.distanceCounts[code] ?? 0) + 1;
    const symbol = literals + (lengthCodeOf[length] ?? 0);
    block.symbols[symbol] = (block.symbols[symbol] ?? 0) + 1;
  }
  block.count += 1;
}

/** Tells what the block's tokens cost, now that it is known how often each symbol is in it, and empties it. */
function closeBlock(search: Search, end: number): void {
  const { bytes, tokens, block } = search;
  const { starts, lengths, distances, count, symbols, distanceCounts } = block;
  if (count === 0) return;
  const codes = chooseCodes(block);
  reserve(tokens, count);
  for (let token = 0; token < count; token++) {
    const start = starts[token] ?? 0;
    const length = lengths[token] ?? 0;
    let cost = 0;
    if (length > 0) {
      const code = lengthCodeOf[length] ?? 0;
      const distance = distances[token] ?? 0;
      cost = (codes.bits[literals + code] ?? 0) + (lengthExtra[code] ?? 0);
      cost += (codes.distanceBits[distance] ?? 0) + distanceExtra(distance);
    } else {
      const stop = token + 1 < count ? (starts[token + 1] ?? 0) : end;
      for (let at = start; at < stop; at++) cost += codes.bits[bytes[at] ?? 0] ?? 0;
    }
    tokens.starts[tokens.count] = start;
    tokens.costs[tokens.count] = search.spent;
    tokens.count += 1;
    search.spent += Math.round(cost * codes.factor * scale);
  }
  block.count = 0;
  symbols.fill(0);
  distanceCounts.fill(0);
}

type Codes = {
  /** The bits of each symbol. */
  bits: Float64Array;
  distanceBits: Float64Array;
  /** By how much the code tables make every token dearer. */
  factor: number;
};

const fixedBits = Float64Array.from({ length: literals + lengthCodes + 1 }, (_, symbol) => {
  if (symbol < literals) return symbol < 144 ? 8 : 9;
  return symbol < literals + 23 ? 7 : 8;
});
const fixedDistanceBits = new Float64Array(distanceCodes).fill(5);

/** Codes of the block's own, with their tables, or DEFLATE's fixed ones: what costs less. */
function chooseCodes({ symbols, distanceCounts }: Block): Codes {
  const own = { bits: readBits(symbols), distanceBits: readBits(distanceCounts) };
  const ownBits = sumBits(symbols, own.bits) + sumBits(distanceCounts, own.distanceBits);
  const kinds = countKinds(symbols) + countKinds(distanceCounts);
  const head = tableBits + tableBitsOfSymbol * kinds;
  const fixed = sumBits(symbols, fixedBits) + sumBits(distanceCounts, fixedDistanceBits);
  if (fixed < ownBits + head) return { bits: fixedBits, distanceBits: fixedDistanceBits, factor: 1 };
  return { ...own, factor: (ownBits + head) / ownBits };
}

function sumBits(counts: Uint32Array, bits: Float64Array): number {
  let sum = 0;
  for (const [symbol, count] of counts.entries()) sum += count * (bits[symbol] ?? 0);
  return sum;
}

function countKinds(counts: Uint32Array): number {
  let kinds = 0;
  for (const count of counts) if (count > 0) kinds += 1;
  return kinds;
}

/** The bits of each symbol: at least one. */
function readBits(counts: Uint32Array): Float64Array {
  const sum = counts.reduce((total, count) => total + count, 0);
  return Float64Array.from(counts, (count) => (count === 0 ? 0 : Math.max(1, Math.log2(sum / count))));
}

function reserve(tokens: Tokens, more: number): void {
  if (tokens.count + more <= tokens.starts.length) return;
  const size = Math.max(tokens.count + more, tokens.starts.length * 2);
  for (const key of ['starts', 'costs'] as const) {
    const grown = new Uint32Array(size);
    grown.set(tokens[key]);
    tokens[key] = grown;
  }
}

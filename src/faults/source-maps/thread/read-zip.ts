import { readSync } from 'node:fs';
import { crc32, inflateRawSync } from 'node:zlib';

/**
 * Reads the entries of a ZIP file one by one. The list at its end decides what is in it. Names are only compared, never used as
 * paths. Everything that is read is bounded before it is read: the list, each entry, and all entries together, so neither one
 * that unpacks to a thousand times its size nor a thousand that share their bytes fill the memory.
 *
 * Format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. Bytes may stand before the first entry; offsets count
 * either from them or from the entry. Without ZIP64 and without encryption, as the Sentry CLI writes it.
 */
type ZipEntry = {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Of its own header. */
  readonly at: number;
};

export type Zip = {
  /** By name. The first counts where a name is there twice. */
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** @throws BadZip when it is larger than `mostBytes`, damaged, or beyond what all entries may have */
  readonly read: (entry: ZipEntry, mostBytes: number) => Buffer;
};

/** What is wrong with the file, in words for whoever made it. */
export class BadZip extends Error {}

export type ZipLimits = {
  readonly entries: number;
  /** Of all that is read, unpacked. */
  readonly bytes: number;
};

const endMark = 0x06_05_4b_50;
const listMark = 0x02_01_4b_50;
const entryMark = 0x04_03_4b_50;
const endBytes = 22;
const listEntryBytes = 46;
const entryHeadBytes = 30;
/** A comment's length has two bytes. */
const longestComment = 0xff_ff;
const longestName = 1_024;

function readAt(fd: number, at: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  if (at < 0 || readSync(fd, buffer, 0, length, at) !== length) throw new BadZip('the archive is cut off');
  return buffer;
}

type End = {
  readonly count: number;
  readonly listBytes: number;
  readonly listAt: number;
  /** Added to each offset. */ readonly base: number;
};

function findEnd(fd: number, size: number): End {
  const tailBytes = Math.min(size, endBytes + longestComment);
  const tail = readAt(fd, size - tailBytes, tailBytes);
  for (let at = tailBytes - endBytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endMark) continue;
    const [count, listBytes, offset] = [
      tail.readUInt16LE(at + 10),
      tail.readUInt32LE(at + 12),
      tail.readUInt32LE(at + 16),
    ];
    const listAt = size - tailBytes + at - listBytes;
    if (listAt < 0 || listAt < offset) throw new BadZip('the archive has no list of its files');
    return { count, listBytes, listAt, base: listAt - offset };
  }
  throw new BadZip('this is not a ZIP archive');
}

function damagedList(): BadZip {
  return new BadZip('the list of files is damaged');
}

function readEntry(list: Buffer, at: number, base: number): { readonly entry: ZipEntry; readonly next: number } {
  if (at + listEntryBytes > list.length || list.readUInt32LE(at) !== listMark) throw damagedList();
  const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => list.readUInt16LE(at + offset));
  const nameAt = at + listEntryBytes;
  const next = nameAt + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  if (next > list.length || (nameBytes ?? 0) > longestName) throw damagedList();
  if ((list.readUInt16LE(at + 8) & 1) === 1) throw new BadZip('the archive is encrypted');
  const entry = {
    name: list.toString('utf8', nameAt, nameAt + (nameBytes ?? 0)),
    method: list.readUInt16LE(at + 10),
    crc: list.readUInt32LE(at + 16),
    packedBytes: list.readUInt32LE(at + 20),
    bytes: list.readUInt32LE(at + 24),
    at: list.readUInt32LE(at + 42) + base,
  };
  return { entry, next };
}

function readList(fd: number, { count, listBytes, listAt, base }: End): Map<string, ZipEntry> {
  const list = readAt(fd, listAt, listBytes);
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readEntry(list, at, base);
    if (!entries.has(entry.name)) entries.set(entry.name, entry);
    at = next;
  }
  return entries;
}

function unpack(packed: Buffer, { method, bytes, name }: ZipEntry): Buffer {
  switch (method) {
    case 0:
      return packed;
    case 8:
      try {
        // Node refuses 0, and chunks below 64. In one chunk it is in memory once.
        return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes), chunkSize: Math.max(64, bytes + 1) });
      } catch {
        throw new BadZip(`${name} does not unpack to the size that the archive says`);
      }
    default:
      throw new BadZip(`${name} is packed in a way that is not known here (${method})`);
  }
}

/** @throws BadZip */
export function openZip(fd: number, size: number, limits: ZipLimits): Zip {
  const end = findEnd(fd, size);
  if (end.count > limits.entries) throw new BadZip(`the archive has more than ${limits.entries} files`);
  if (end.listBytes > limits.entries * (listEntryBytes + longestName)) throw damagedList();
  let left = limits.bytes;
  return {
    entries: readList(fd, end),
    read(entry, mostBytes) {
      const { name, at, bytes, packedBytes, crc } = entry;
      if (bytes > mostBytes || packedBytes > mostBytes) throw new BadZip(`${name} has more than ${mostBytes} bytes`);
      left -= Math.max(bytes, packedBytes);
      if (left < 0) throw new BadZip(`the archive unpacks to more than ${limits.bytes} bytes`);
      const head = readAt(fd, at, entryHeadBytes);
      if (head.readUInt32LE(0) !== entryMark) throw new BadZip(`${name} is not where the list says`);
      const content = unpack(
        readAt(fd, at + entryHeadBytes + head.readUInt16LE(26) + head.readUInt16LE(28), packedBytes),
        entry,
      );
      if (content.length !== bytes || crc32(content) !== crc) throw new BadZip(`${name} is damaged`);
      return content;
    },
  };
}

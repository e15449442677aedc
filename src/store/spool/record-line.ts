import { crc32 } from 'node:zlib';

import { isRecord } from '#boundary';

/**
 * One record of a spool is one line: a checksum, its number, when it was written, and what it holds, as JSON. JSON has no line break
 * of its own, so after a damaged line the next one is found again.
 *
 *     4f2a91c7 {"n":12,"time":1795000000000,"kept":{…}}
 */
export type SpoolRecord = {
  /** From 1, in the order of writing; never used twice in a file. */
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly kept: unknown;
};

const newline = 0x0a;
const checksumLength = 8;

function checksum(body: Uint8Array): string {
  return crc32(body).toString(16).padStart(checksumLength, '0');
}

export function writeRecordLine(record: SpoolRecord): Buffer {
  const body = Buffer.from(JSON.stringify(record));
  return Buffer.concat([Buffer.from(`${checksum(body)} `), body, Buffer.of(newline)]);
}

/** @param line without its line break. @returns undefined when it is not what was written */
export function readRecordLine(line: Buffer): SpoolRecord | undefined {
  const body = line.subarray(checksumLength + 1);
  if (line.toString('latin1', 0, checksumLength + 1) !== `${checksum(body)} `) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString());
    if (!isRecord(value)) return undefined;
    const { n, time, kept } = value;
    return typeof n === 'number' && typeof time === 'number' ? { n, time, kept } : undefined;
  } catch {
    // The checksum fits, so an earlier version wrote it so.
    return undefined;
  }
}

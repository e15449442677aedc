import type { FileHandle } from 'node:fs/promises';

import { readRecordLine, type SpoolRecord } from './record-line.ts';

/**
 * Reads a spool's file, in pieces. A line that is not what was written is damaged: it is counted, and the
 * next one is read. What stands behind the last line break was being written when its process ended. Nobody was told that it is
 * kept, so it is not counted as lost.
 */
export type SpoolEntry =
  | { readonly type: 'record'; readonly record: SpoolRecord; /** Of its line. */ readonly bytes: number }
  | { readonly type: 'damaged'; readonly bytes: number };

const pieceBytes = 256 * 1024;
const newline = 0x0a;

/** The largest request whose errors are kept has 1 MiB; their rows with source lines and frames take a few times as much. */
export const recordBytes = 8 * 1024 * 1024;

/** @param end how far the file is read; what is behind it may not be complete yet */
export async function* readSpool(
  handle: FileHandle,
  { from, end }: { readonly from: number; readonly end: number },
): AsyncGenerator<SpoolEntry, void> {
  /** Of a line that is not complete. */
  let parts: Buffer[] = [];
  let [held, skipped] = [0, 0];
  for (let at = from; at < end;) {
    const piece = Buffer.alloc(Math.min(pieceBytes, end - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    let rest = piece.subarray(0, bytesRead);
    for (let found = rest.indexOf(newline); found >= 0; found = rest.indexOf(newline)) {
      yield toEntry(Buffer.concat([...parts, rest.subarray(0, found)]), skipped);
      [parts, held, skipped] = [[], 0, 0];
      rest = rest.subarray(found + 1);
    }
    parts.push(rest);
    held += rest.length;
    if (held <= recordBytes) continue;
    [parts, held, skipped] = [[], 0, skipped + held];
  }
}

/** @param skipped bytes of the same line that were not kept in memory */
function toEntry(line: Buffer, skipped: number): SpoolEntry {
  const bytes = skipped + line.length + 1;
  const record = skipped > 0 ? undefined : readRecordLine(line);
  return record ? { type: 'record', record, bytes } : { type: 'damaged', bytes };
}

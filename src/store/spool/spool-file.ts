import { open, type FileHandle, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncFolder } from '../copy-database.ts';
import { recordBytes } from './read-spool.ts';
import { writeRecordLine } from './record-line.ts';

/**
 * The file that records are added to. What is added while a write is under way shares the next write and its flush. When `append`
 * resolves to a number the record is on disk: it survives a crash of this process, and of the machine.
 *
 * A write that fails is taken back: the next one begins where the last complete one ended. So a full disk costs the records that
 * were refused, and no other.
 */
export type SpoolFile = {
  /** For reading. */
  readonly handle: FileHandle;
  /** Bytes of complete records. */
  readonly size: () => number;
  /** Whether nothing is being added. */
  readonly isIdle: () => boolean;
  /**
   * @param limit the size that the file may have with this record
   * @returns the record's number
   * @throws the disk's error
   */
  readonly append: (kept: unknown, limit: number) => Promise<number | 'full'>;
  readonly close: () => Promise<void>;
  /** Closes and deletes it. */
  readonly remove: () => Promise<void>;
};

type Entry = {
  readonly line: Buffer;
  readonly n: number;
  readonly resolve: (n: number) => void;
  readonly reject: (error: unknown) => void;
};

/** What a test makes fail. */
export type FileActions = {
  readonly write: (handle: FileHandle, bytes: Buffer, at: number) => Promise<void>;
  readonly flush: (handle: FileHandle) => Promise<void>;
};

const onDisk: FileActions = {
  async write(handle, bytes, at) {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  },
  flush: (handle) => handle.datasync(),
};

/**
 * Makes the new file `file`.
 * @throws when it exists, or cannot be made
 */
export async function createSpoolFile(file: string, { write, flush }: FileActions = onDisk): Promise<SpoolFile> {
  const handle = await open(file, 'wx+', 0o600);
  // Otherwise a power cut could take the name with all that is behind it.
  syncFolder(path.dirname(file));
  const waiting: Entry[] = [];
  let size = 0;
  let queued = 0;
  let last = 0;
  let writing: Promise<void> | undefined;

  async function writeGroup(group: readonly Entry[]): Promise<void> {
    const bytes = Buffer.concat(group.map(({ line }) => line));
    try {
      await write(handle, bytes, size);
      await flush(handle);
      size += bytes.length;
      for (const { n, resolve } of group) resolve(n);
    } catch (error) {
      // If this fails too, the next write goes over it, and a reader leaves out what has a number it has seen.
      await handle.truncate(size).catch(() => undefined);
      for (const { reject } of group) reject(error);
    } finally {
      queued -= bytes.length;
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) await writeGroup(waiting.splice(0));
    writing = undefined;
  }

  return {
    handle,
    size: () => size,
    isIdle: () => writing === undefined,
    async append(kept, limit) {
      const n = last + 1;
      const line = writeRecordLine({ n, time: Date.now(), kept });
      if (line.length > recordBytes || size + queued + line.length > limit) return 'full';
      last = n;
      queued += line.length;
      return await new Promise((resolve, reject) => {
        waiting.push({ line, n, resolve, reject });
        writing ??= drain();
      });
    },
    async close() {
      await writing;
      await handle.close();
    },
    async remove() {
      await writing;
      await handle.close();
      await rm(file, { force: true });
    },
  };
}

import { open, type FileHandle } from 'node:fs/promises';

/**
 * Flushing SQLite's write-ahead log, off the thread that serves pages. SQLite itself would flush in the middle of the
 * commit, and a disk that takes a second for it, or a minute, would stop every page. So a grouped commit leaves the log
 * with the operating system, where it outlives this process. Whoever waits for it is told after this flush, from where on
 * it outlives the machine too.
 */
export type LogFile = {
  /** @throws the disk's error */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** SQLite keeps the file for as long as it has the database open, and holds no lock on it that a second handle could lose. */
export function openLog(databaseFile: string): LogFile {
  let opening: Promise<FileHandle> | undefined;

  async function close(): Promise<void> {
    const opened = opening;
    opening = undefined;
    // One that could not be opened has told whoever synced.
    await opened?.then((handle) => handle.close()).catch(() => undefined);
  }

  return {
    async sync() {
      try {
        opening ??= open(`${databaseFile}-wal`, 'r+');
        await (await opening).datasync();
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}

/**
 * Makes one `sync` serve all who ask while another is under way. One that has begun already cannot be relied on: it may
 * have passed what was written since. So they share the next.
 * @returns resolves when everything that was written before the call is on disk, and rejects with the disk's error
 */
export function shareSync(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function begin(): Promise<void> {
    next = undefined;
    running = sync().finally(() => {
      running = undefined;
    });
    return running;
  }

  return function flush() {
    if (!running) return begin();
    // A failure is told to those who waited for it alone.
    next ??= running.then(begin, begin);
    return next;
  };
}

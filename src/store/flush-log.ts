import { open, type FileHandle } from 'node:fs/promises';

/**
 * Flushes SQLite's write-ahead log outside the thread that serves pages. SQLite itself would flush during the commit, and a
 * disk that takes a second for it, or a minute, would stop every page. So a grouped commit only hands the log to the
 * operating system: from then on it survives a crash of this process. Who waits for the write is answered after this flush:
 * from then on it survives a crash of the machine.
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
    // If it could not be opened, whoever called `sync` got the error.
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
 * Lets all calls that arrive while a flush is in progress share the next one. They cannot rely on the flush in progress: it may
 * have started before their write.
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
    // Only those who waited for this flush get its error.
    next ??= running.then(begin, begin);
    return next;
  };
}

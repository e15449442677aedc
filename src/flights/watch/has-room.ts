import { statfsSync } from 'node:fs';

/** As much as the store and SQLite's log reserve for signing in and deleting (store/space.ts). */
const reserveBytes = 32 * 1024 * 1024;
/** One look is a system call, and is taken before a batch is sent. */
const lookEveryMs = 1_000;

/** Says whether the disk of `folder` has room for recordings. */
export function createRoomCheck(folder: string): () => boolean {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let hasRoom = true;
  return () => {
    if (performance.now() - lookedAt < lookEveryMs) return hasRoom;
    lookedAt = performance.now();
    try {
      const { bavail, bsize } = statfsSync(folder);
      hasRoom = bavail * bsize > reserveBytes;
    } catch {
      // The folder is not there yet: the writer makes it, or says why it cannot.
      hasRoom = true;
    }
    return hasRoom;
  };
}

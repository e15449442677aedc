import { mkdirSync, rmdirSync, statSync } from 'node:fs';

import { sleep } from '#src/store/sleep.ts';
import { describeError } from '#boundary';

/**
 * One process at a time makes, upgrades or moves a file. A folder beside the file says that somebody does, since making a folder
 * either succeeds or fails on every file system. It is held for some milliseconds, on a thread that serves nobody.
 */
const pauseMs = 10;
/** Whoever holds it for longer than this has ended without giving it back. An upgrade adds columns, and takes less. */
const abandonedMs = 10_000;

function tryTo(change: () => void, expected: string): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === expected) return false;
    throw new Error(`The recording's file cannot be held: ${describeError(error)}`, { cause: error });
  }
}

function isAbandoned(lock: string): boolean {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Date.now() - made > abandonedMs;
}

/** @throws what `run` throws, and when the folder cannot be made */
export function holdFile<T>(file: string, run: () => T): T {
  const lock = `${file}.held`;
  while (!tryTo(() => mkdirSync(lock), 'EEXIST')) {
    if (isAbandoned(lock)) tryTo(() => rmdirSync(lock), 'ENOENT');
    else sleep(pauseMs);
  }
  try {
    return run();
  } finally {
    tryTo(() => rmdirSync(lock), 'ENOENT');
  }
}

import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

import { isAlive } from '#src/store/is-alive.ts';

/**
 * Which of several processes starts the interface: the workers of a cluster all begin in the same moment, and each server that is
 * started in vain costs a second of a processor. The server's own lock (store/instance.ts) decides in the end; this only spares it.
 */
/** Longer than a server takes to start. */
const longestTurnMs = 40_000;

function isOver(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (Date.now() - statSync(file).mtimeMs > longestTurnMs) return true;
    return pid > 0 && pid !== process.pid && !isAlive(pid);
  } catch {
    // The file is gone.
    return true;
  }
}

function create(file: string): boolean {
  try {
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @returns what ends the turn; undefined while another process has it. @throws when the folder cannot be written */
export function takeTurn(folder: string): (() => void) | undefined {
  const file = path.join(folder, 'interface.starting');
  if (!create(file)) {
    if (isOver(file)) rmSync(file, { force: true });
    return undefined;
  }
  return () => rmSync(file, { force: true });
}

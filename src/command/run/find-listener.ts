import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The process that listens on a port of this machine, and when it started. Linux tells it in /proc. Others need a program for it. */
export type Listener = {
  readonly pid: number;
  /** As the system counts. */
  readonly started: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
};

/** Of `/proc/<pid>/stat`, after the name in parentheses: the parent's number, and the start in hundredths of a second since the boot. */
const parentField = 1;
const startField = 19;
const millisecondsEach = 10;
/** Of a line of `/proc/net/tcp`. */
const listening = '0A';

type Process = { readonly parent: number; readonly started: number };

function readProcess(pid: number | 'self'): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[parentField]), started: Number(fields[startField]) };
  } catch {
    // It has ended, or this is another system.
    return undefined;
  }
}

/** @returns how the system names the sockets that listen there */
function listSockets(port: number): ReadonlySet<string> {
  const place = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const found = new Set<string>();
  // The second is missing where the system has no IPv6.
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'].filter((each) => existsSync(each))) {
    for (const line of readFileSync(file, 'latin1').split('\n')) {
      // Of thousands of connections the line is looked at, and not taken apart.
      if (!line.includes(` ${listening} `)) continue;
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === listening && local?.endsWith(place)) found.add(`socket:[${inode}]`);
    }
  }
  return found;
}

function listBelow(ancestor: number): readonly { readonly pid: number; readonly started: number }[] {
  const all = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    if (found) all.set(Number(name), found);
  }
  function isBelow(pid: number): boolean {
    // The first process has the parent 0.
    for (let at: number | undefined = pid; at !== undefined && at > 0; at = all.get(at)?.parent) {
      if (at === ancestor) return true;
    }
    return false;
  }
  return [...all].filter(([pid]) => isBelow(pid)).map(([pid, { started }]) => ({ pid, started }));
}

function readOpened(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    // It was closed a moment ago.
    return '';
  }
}

function hasSocket(pid: number, sockets: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => sockets.has(readOpened(`${folder}/${name}`)));
  } catch {
    // It has ended, or is somebody else's.
    return false;
  }
}

/**
 * Of several the latest: who watches over an app can hold its socket for it. Undefined where it cannot be told.
 * @param ancestor the process, or one that it was started by
 */
export function findListener(port: number, ancestor: number): Listener | undefined {
  const own = readProcess('self');
  if (!own) return undefined;
  const sockets = listSockets(port);
  const [latest] = listBelow(ancestor)
    .filter(({ pid }) => hasSocket(pid, sockets))
    .toSorted((one, other) => other.started - one.started);
  // Counted from our own start, since a container can have another clock for the time since the boot.
  return latest && { ...latest, startedAt: performance.timeOrigin + (latest.started - own.started) * millisecondsEach };
}

export function isRunning({ pid, started }: Listener): boolean {
  return readProcess(pid)?.started === started;
}

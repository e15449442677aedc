import { readFileSync } from 'node:fs';
import path from 'node:path';

import { isRecord } from '#boundary';

/**
 * `instance.json` in the data folder: who is, or was, the server on it (instance.ts), for people, the command line and other
 * processes on the folder. Reading it needs no SQLite: an app's process reads it, too.
 */
export type Instance = {
  readonly state: 'running' | 'stopped';
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** What the server listens on. The port is 0 until the system has given one. */
  readonly address: { readonly hostname: string; readonly port: number };
  /** What people open: with the mount path where the server is mounted in another app. */
  readonly origin: string;
  /** What a process must know to speak for visitors (server/http/visitor.ts). Whoever can read this file may read the database, too. */
  readonly door: string;
  /**
   * The process of an app has started it, and it ends with that. One that was started by itself (`flight-recorder`, a service) is
   * stopped by its operator, who may want to restore a backup or to start a newer one: nobody else puts another in its place.
   */
  readonly isBeside: boolean;
};

export type Presence = Pick<Instance, 'address' | 'origin'> & Partial<Pick<Instance, 'door'>>;

function parseInstance(text: string): Instance | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || !isRecord(value['address'])) return undefined;
  const { state, pid, startedAt, origin, door, isBeside } = value;
  const { hostname, port } = value['address'];
  if (state !== 'running' && state !== 'stopped') return undefined;
  if (typeof pid !== 'number' || typeof startedAt !== 'number' || typeof origin !== 'string') return undefined;
  if (typeof hostname !== 'string' || typeof port !== 'number') return undefined;
  // Older versions write neither.
  const secret = typeof door === 'string' ? door : '';
  return { state, pid, startedAt, address: { hostname, port }, origin, door: secret, isBeside: isBeside === true };
}

/** The server that was last on `folder`; undefined when none was, or when what it wrote cannot be read. */
export function readInstance(folder: string): Instance | undefined {
  try {
    return parseInstance(readFileSync(path.join(folder, 'instance.json'), 'utf8'));
  } catch {
    // Missing, or cut off: nothing is known, and callers assume the worst case.
    return undefined;
  }
}

/** Where the pages of this server stand. A command has no addresses of its own for it: it is mounted nowhere. */
export function readMount({ origin }: Instance): string {
  return URL.parse(origin)?.pathname.replace(/\/$/, '') ?? '';
}

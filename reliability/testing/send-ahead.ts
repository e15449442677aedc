import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';

import type { RunningServer } from './start-server.ts';

/** Requests that are sent before their answers, by clients that read no answer. */
const assets = path.join(import.meta.dirname, '../../dist/public/assets');

/** The largest file that everybody may read, by its path. A few copies of it are larger than the system's buffers. */
export function findLargestAsset(): { readonly target: string; readonly size: number } {
  const sizes = readdirSync(assets).map((name) => ({ name, size: statSync(path.join(assets, name)).size }));
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  if (!largest) throw new Error('The build has no assets');
  return { target: `/assets/${largest.name}`, size: largest.size };
}

export function readAsset(target: string): string {
  return readFileSync(path.join(assets, path.basename(target)), 'latin1');
}

export function formatGet({ host }: RunningServer, target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

export type Unread = { readonly sockets: readonly Socket[]; readonly [Symbol.dispose]: () => void };

/**
 * Opens connections that send `bytes` and read nothing. Resolves when the system has taken the bytes of all of them.
 */
export async function sendUnread(server: RunningServer, connections: number, bytes: string): Promise<Unread> {
  const sockets = Array.from({ length: connections }, () => connect(server.port, '127.0.0.1').pause());
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          // A connection that the server has cut is done, too.
          socket.on('error', () => resolve());
          socket.write(bytes, 'latin1', () => resolve());
        }),
    ),
  );
  return {
    sockets,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

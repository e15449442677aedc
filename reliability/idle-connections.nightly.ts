import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';

import { expect, test } from 'vitest';

import { readRss } from '../bench/process-usage.ts';
import { exchangeRaw } from './testing/exchange-raw.ts';
import { startServer } from './testing/start-server.ts';

const connections = 10_000;
/** The server's own files and this process's, beside the sockets. */
const otherFiles = 500;
/** How many are opened at once: the system's queue for a listening socket holds 511. */
const batch = 200;

/**
 * The flags that docs/scale.md gives for a small machine. Without them V8 lets its space for new objects grow to
 * three times 16 MiB while the connections are opened. That is a cost of opening them quickly.
 */
const smallBox = ['--max-old-space-size=128', '--max-semi-space-size=4', '--optimize-for-size'];

function readFileLimit(): number {
  const text = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return text === 'unlimited' ? Infinity : Number(text);
}

/** Opens a connection, sends one request on it and keeps it. */
function openIdle(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
    socket.once('data', () => resolve(socket)).once('error', reject);
  });
}

const isPossible = readFileLimit() >= connections + otherFiles && process.platform === 'linux';
if (!isPossible) {
  console.log(`Skipped: ${connections} idle connections need Linux and ulimit -n ${connections + otherFiles}`);
}

test.skipIf(!isPossible)('10,000 idle connections cost under 150 MiB, and lock nobody out', async () => {
  await using server = await startServer({
    env: { KEEP_ALIVE_SECONDS: '120', MALLOC_ARENA_MAX: '2' },
    nodeOptions: smallBox,
  });
  // What the first requests load is not a cost of connections.
  for (let count = 0; count < 20; count += 1) {
    await exchangeRaw(server.port, `GET /runtime HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`);
  }
  const before = readRss(server.pid);
  const sockets: Socket[] = [];
  try {
    while (sockets.length < connections) {
      sockets.push(...(await Promise.all(Array.from({ length: batch }, () => openIdle(server.port, server.host)))));
    }
    const after = readRss(server.pid);
    const fresh = await exchangeRaw(
      server.port,
      `GET /runtime HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`,
    );
    const closed = sockets.filter((socket) => socket.readyState !== 'open').length;
    console.log(
      `${connections} idle connections: ${(after - before).toFixed(0)} MiB more (${before.toFixed(0)} to ${after.toFixed(0)}), ` +
        `a fresh page in ${fresh.tookMs.toFixed(0)} ms`,
    );
    expect(closed).toBe(0);
    expect(after - before).toBeLessThan(150);
    expect(fresh.statuses).toEqual([200]);
    expect(fresh.tookMs).toBeLessThan(1_000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import type { LoadResult } from '../bench/load.ts';
import { readRss } from '../bench/process-usage.ts';
import { exchangeRaw } from './testing/exchange-raw.ts';
import { createMemoryGroup } from './testing/memory-group.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/** A minute shows whether anything grows. The promised time is `OVERLOAD_SECONDS=600`. */
const seconds = Number(process.env['OVERLOAD_SECONDS'] ?? 60);
/**
 * Connections, each of which sends its next request as soon as it is answered. The first 150 alone are all that the
 * server can render. More than half of those on the slow page exceed the 256 pages that are answered at once.
 */
const clients = { '/': 50, '/runtime': 50, '/RSC/R/_root.txt': 50, '/lab/slow?ms=2000': 600 } as const;
const uploads = 10;
const uploadBytes = 90 * 1024 * 1024;
const sampleMs = 500;
/** The memory of the smallest machine that docs/hosting.md names. */
const memoryLimitMib = 256;

/** Node's program and libraries in memory, which other processes share. */
const programMib = 60;

const smallBox = ['--max-old-space-size=128', '--max-semi-space-size=4', '--optimize-for-size'];

function enterMemoryGroup() {
  const group = createMemoryGroup(memoryLimitMib * 2 ** 20);
  if (!group) console.log('Without a control group: the server does not know of a limit');
  return { nodeOptions: group?.nodeOptions ?? [], [Symbol.asyncDispose]: async () => group?.remove() };
}

async function ask(server: RunningServer, target: string, connections: number): Promise<LoadResult> {
  const request = `GET ${target} HTTP/1.1\r\nHost: ${server.host}\r\nAccept: text/html\r\n\r\n`;
  const options = { port: server.port, request, connections, seconds };
  const script = path.join(import.meta.dirname, '../bench/load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)]);
  return JSON.parse(stdout);
}

/**
 * Sends a form of 90 MB without its length, as long as the server takes it. @returns the status, and the bytes taken
 */
function upload(server: RunningServer): Promise<{ status: number; sent: number }> {
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')]);
  return new Promise((resolve) => {
    let text = '';
    let sent = 0;
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(
        `POST /lab/actions HTTP/1.1\r\nHost: ${server.host}\r\nOrigin: ${server.origin}\r\n` +
          'Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      send();
    });
    function send(): void {
      while (!socket.destroyed && sent < uploadBytes) {
        sent += chunk.length;
        if (!socket.write(chunk)) return;
      }
    }
    socket.on('drain', send);
    socket.setEncoding('latin1').on('data', (data) => (text += String(data)));
    // The server cuts it while it is still sending. The answer before the cut counts.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ status: Number(text.slice(9, 12)), sent }));
  });
}

test(
  'far more requests than it can answer: each gets an answer, the memory has an end, and it is well afterwards',
  async () => {
    await using group = enterMemoryGroup();
    await using server = await startServer({
      nodeOptions: [...smallBox, ...group.nodeOptions],
      env: { MALLOC_ARENA_MAX: '2' },
    });
    let peak = 0;
    const sampling = setInterval(() => (peak = Math.max(peak, readRss(server.pid))), sampleMs);
    try {
      const loads = Object.entries(clients).map(([target, connections]) => ask(server, target, connections));
      const uploaded = await Promise.all(Array.from({ length: uploads }, () => upload(server)));
      const results = await Promise.all(loads);
      const statuses = new Set(results.flatMap((result) => Object.keys(result.statuses)));
      const answered = results.reduce((sum, result) => sum + (result.statuses['200'] ?? 0), 0);
      const refused = results.reduce((sum, result) => sum + (result.statuses['503'] ?? 0), 0);
      console.log(
        `${answered} answered and ${refused} refused in ${seconds} s, ${peak.toFixed(0)} MiB at most; ` +
          `uploads: ${uploaded.map(({ status, sent }) => `${status} after ${(sent / 2 ** 20).toFixed(0)} MiB`).join(', ')}`,
      );
      // How many are refused depends on the machine: a machine that reads requests slowly refuses few of them.
      expect(['200', '503']).toEqual(expect.arrayContaining([...statuses]));
      expect(answered).toBeGreaterThan(seconds * 10);
      // In a control group the system enforces the limit. Resident memory also has Node's own program in it.
      expect(peak).toBeLessThan(memoryLimitMib + programMib);
      for (const { status } of uploaded) expect([413, 503]).toContain(status);
    } finally {
      clearInterval(sampling);
    }
    // The load level goes down step by step.
    let status: number | undefined;
    for (let tries = 0; status !== 200 && tries < 60; tries += 1) {
      await wait(sampleMs);
      const answer = await exchangeRaw(
        server.port,
        `GET /readyz HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`,
      );
      [status] = answer.statuses;
    }
    expect(status).toBe(200);
  },
  (seconds + 120) * 1_000,
);

import { setTimeout as wait } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { readRss } from '../bench/process-usage.ts';
import { exchangeRaw } from './testing/exchange-raw.ts';
import { createMemoryGroup } from './testing/memory-group.ts';
import { findLargestAsset, formatGet, sendUnread } from './testing/send-ahead.ts';
import { startServer } from './testing/start-server.ts';

const seconds = Number(process.env['SENT_AHEAD_SECONDS'] ?? 60);
/** The connections of a wave, and what each sends after the files that it does not read. */
const waves = [
  { connections: 14, requests: 1_300, target: '/login' },
  { connections: 400, requests: 1, target: '/login?next=/' },
  { connections: 60, requests: 60, target: '/' },
  { connections: 8, requests: 64, target: '/login' },
  { connections: 200, requests: 20, target: '/RSC/R/lab.txt' },
] as const;
const waveMs = 2_000;
/** The memory of the smallest machine in docs/hosting.md, and Node's own program in it. */
const memoryLimitMib = 256;
const programMib = 60;

test(
  'waves of requests that are sent ahead and not read: others are answered, and the memory has an end',
  async () => {
    const group = createMemoryGroup(memoryLimitMib * 2 ** 20);
    if (!group) console.log('Without a control group: the server does not know of a limit');
    await using _removed = { [Symbol.asyncDispose]: async () => group?.remove() };
    await using server = await startServer({
      nodeOptions: [
        '--max-old-space-size=128',
        '--max-semi-space-size=4',
        '--optimize-for-size',
        ...(group?.nodeOptions ?? []),
      ],
      env: { FLIGHT_AUTH: 'on', MALLOC_ARENA_MAX: '2' },
    });
    const files = formatGet(server, findLargestAsset().target).repeat(25);
    const until = performance.now() + seconds * 1_000;
    let peak = 0;
    let answered = 0;
    for (let count = 0; performance.now() < until; count += 1) {
      const wave = waves[count % waves.length] ?? waves[0];
      const bytes = files + formatGet(server, wave.target).repeat(wave.requests);
      using _unread = await sendUnread(server, wave.connections, bytes);
      const waveEnd = performance.now() + waveMs;
      while (performance.now() < waveEnd) {
        const request = `GET /healthz HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`;
        const { statuses } = await exchangeRaw(server.port, request, { waitMs: 10_000 });
        expect(statuses).toEqual([200]);
        answered += 1;
        peak = Math.max(peak, readRss(server.pid));
        await wait(50);
      }
    }
    console.log(`${answered} others answered in ${seconds} s, ${peak.toFixed(0)} MiB at most`);
    expect(peak).toBeLessThan(memoryLimitMib + programMib);
  },
  (seconds + 60) * 1_000,
);

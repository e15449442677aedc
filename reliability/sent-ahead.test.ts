import { setTimeout as wait } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { readRss } from '../bench/process-usage.ts';
import { exchangeRaw } from './testing/exchange-raw.ts';
import { findLargestAsset, formatGet, readAsset, sendUnread } from './testing/send-ahead.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/** The settings of the unit and the image. */
const smallBox = {
  nodeOptions: ['--max-old-space-size=128', '--max-semi-space-size=4', '--optimize-for-size'],
  env: { FLIGHT_AUTH: 'on', MALLOC_ARENA_MAX: '2' },
};
const asset = findLargestAsset();
/** More of them than a socket's buffers hold, so that the answers behind them are not sent. */
const unread = 25;
/** The server takes 95 MiB when idle. */
const peakMib = 160;
const watchedMs = 8_000;
const sampleMs = 250;
/** The server reads 18,000 requests in a second, on a busy machine in several. */
const patienceMs = 10_000;

async function askStatus(server: RunningServer, target: string): Promise<number | undefined> {
  const request = `GET ${target} HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`;
  const { statuses } = await exchangeRaw(server.port, request, { waitMs: patienceMs });
  return statuses[0];
}

describe('requests sent ahead by clients that read nothing', () => {
  // The page whose answers take most memory, the same before and after signing in.
  test('1,300 on each of 14 connections neither end the server nor keep it from others', async () => {
    await using server = await startServer(smallBox);
    const bytes = formatGet(server, asset.target).repeat(unread) + formatGet(server, '/login').repeat(1_300);
    using _unread = await sendUnread(server, 14, bytes);
    let peak = 0;
    const until = performance.now() + watchedMs;
    while (performance.now() < until) {
      expect(await askStatus(server, '/healthz')).toBe(200);
      expect(await askStatus(server, '/login')).toBe(200);
      peak = Math.max(peak, readRss(server.pid));
      await wait(sampleMs);
    }
    expect(peak).toBeLessThan(peakMib);
    await server.waitForLine((line) => line.event === 'too-many-sent-ahead');
  });

  test('35 on each of 40 connections, none of which has too many, are too many together', async () => {
    await using server = await startServer(smallBox);
    const bytes = formatGet(server, asset.target).repeat(unread) + formatGet(server, '/login?next=/').repeat(35);
    using _unread = await sendUnread(server, 40, bytes);
    const { fields } = await server.waitForLine((line) => line.event === 'too-many-sent-ahead');
    expect(fields['ahead']).toBeLessThanOrEqual(64);
    expect(await askStatus(server, '/login?next=/')).toBe(200);
    expect(readRss(server.pid)).toBeLessThan(peakMib);
  });

  test('one connection holds no place among the pages, nor among those who sign in', async () => {
    await using server = await startServer({ env: { FLIGHT_AUTH: 'off' } });
    const page = formatGet(server, '/lab');
    const login =
      `POST /login HTTP/1.1\r\nHost: ${server.host}\r\nOrigin: ${server.origin}\r\nContent-Length: 0\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\n\r\n';
    using _pages = await sendUnread(server, 1, formatGet(server, asset.target).repeat(unread) + page.repeat(256));
    using _slices = await sendUnread(server, 5, formatGet(server, asset.target).repeat(unread) + page.repeat(60));
    using _logins = await sendUnread(server, 1, formatGet(server, asset.target).repeat(unread) + login.repeat(17));
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await askStatus(server, '/lab')).toBe(200);
      const answer = await exchangeRaw(server.port, login.replace('Host', 'Connection: close\r\nHost'));
      expect(answer.statuses).toEqual([400]);
    }
    expect(server.lines().filter(({ event }) => event === 'too-many-at-once')).toEqual([]);
  });
});

describe('requests sent ahead by a client that reads', () => {
  /** The bodies of answers with a length, in order. */
  function readBodies(text: string): string[] {
    const bodies: string[] = [];
    for (let at = 0; at < text.length;) {
      const head = text.slice(at, text.indexOf('\r\n\r\n', at) + 4);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
      bodies.push(text.slice(at + head.length, at + head.length + length));
      at += head.length + length;
    }
    return bodies;
  }

  test.each([1, 16, 40])('%i at a time: each is answered, in order and whole', async (count) => {
    await using server = await startServer();
    const file = readAsset(asset.target);
    const targets = Array.from({ length: count }, (_, index) => (index % 3 === 1 ? '/no-such-page' : asset.target));
    const requests = targets.map((target, index) => {
      const last = index === count - 1 ? 'Connection: close\r\n' : '';
      return `GET ${target} HTTP/1.1\r\nHost: ${server.host}\r\nSec-Fetch-Mode: cors\r\n${last}\r\n`;
    });
    const { text, closedBy } = await exchangeRaw(server.port, requests.join(''), { waitMs: 10_000 });
    expect(closedBy).toBe('server');
    const bodies = readBodies(text);
    expect(bodies).toHaveLength(count);
    for (const [index, target] of targets.entries()) {
      expect(bodies[index] === file).toBe(target === asset.target);
    }
  });
});

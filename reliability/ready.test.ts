import { connect } from 'node:net';

import { expect, test } from 'vitest';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { formatGet } from './testing/send-ahead.ts';
import { startServer } from './testing/start-server.ts';

test('a balancer that sends no Host, as HAProxy does, and one that sends another are answered', async () => {
  await using server = await startServer();
  for (const path of ['/readyz', '/healthz']) {
    expect((await exchangeRaw(server.port, `GET ${path} HTTP/1.0\r\n\r\n`)).statuses).toEqual([200]);
    const named = `GET ${path} HTTP/1.1\r\nHost: 10.1.2.3\r\nConnection: close\r\n\r\n`;
    expect((await exchangeRaw(server.port, named)).statuses).toEqual([200]);
  }
  expect((await exchangeRaw(server.port, 'GET / HTTP/1.0\r\n\r\n')).statuses).toEqual([400]);
});

test('a server whose every place for a page is held says so, and says when one is free', async () => {
  await using server = await startServer();
  async function readReadiness(): Promise<string> {
    const request = `GET /readyz HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`;
    const { text } = await exchangeRaw(server.port, request);
    return text.slice(text.lastIndexOf('\r\n\r\n') + 4).trim();
  }
  // A page that never ends, as often as pages are answered at once.
  const sockets = Array.from({ length: 256 }, () => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    socket.write(formatGet(server, '/RSC/R/lab/stalled.txt'));
    return socket;
  });
  await expect
    .poll(readReadiness, { timeout: 20_000 })
    .toMatch(/^\{"error":\{"code":"not-ready".*"reasons":\["pages"\]\}$/);
  sockets[0]?.destroy();
  await expect.poll(readReadiness, { timeout: 5_000 }).toBe('{"status":"ready"}');
  for (const socket of sockets) socket.destroy();
}, 40_000);

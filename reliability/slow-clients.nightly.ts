import { connect, type Socket } from 'node:net';

import { expect, test } from 'vitest';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { startServer } from './testing/start-server.ts';

const slowClients = 500;
const samples = 200;
/** The pause between two bytes of a slow client. */
const dripMs = 250;

/** Sends `head`, then one more byte after each pause. Resolves with how the server ended it, and after how long. */
function drip(port: number, head: string, byte: string): Promise<{ text: string; tookMs: number }> {
  return new Promise((resolve) => {
    const begin = performance.now();
    let text = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(head));
    const timer = setInterval(() => socket.write(byte), dripMs);
    socket.setEncoding('latin1').on('data', (chunk) => (text += String(chunk)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ text, tookMs: performance.now() - begin });
    });
  });
}

async function measure(port: number, host: string): Promise<number> {
  const { statuses, tookMs } = await exchangeRaw(
    port,
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  expect(statuses).toEqual([200]);
  return tookMs;
}

test('500 dripped headers and 500 dripped bodies are cut on time, and nobody waits for them', async () => {
  await using server = await startServer();
  const head = `GET /runtime HTTP/1.1\r\nHost: ${server.host}\r\nx-slow: `;
  const body =
    `POST /lab/actions HTTP/1.1\r\nHost: ${server.host}\r\nOrigin: ${server.origin}\r\n` +
    'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n';
  const headers = Array.from({ length: slowClients }, () => drip(server.port, head, 'x'));
  const bodies = Array.from({ length: slowClients }, () => drip(server.port, body, 'x'));
  const times: number[] = [];
  while (times.length < samples) times.push(await measure(server.port, server.host));
  const p99 = times.sort((a, b) => a - b)[Math.floor(samples * 0.99)] ?? Infinity;
  const cutHeaders = await Promise.all(headers);
  const cutBodies = await Promise.all(bodies);
  const longest = (cut: readonly { tookMs: number }[]) => Math.max(...cut.map(({ tookMs }) => tookMs));
  console.log(
    `A normal client: ${p99.toFixed(0)} ms p99; headers cut after ${(longest(cutHeaders) / 1000).toFixed(1)} s at most, ` +
      `bodies after ${(longest(cutBodies) / 1000).toFixed(1)} s`,
  );
  expect(p99).toBeLessThan(100);
  for (const { text } of cutHeaders) expect(text).toMatch(/^HTTP\/1\.1 408 /);
  // 5 s, and one check a second later. On a busy machine both are late.
  expect(longest(cutHeaders)).toBeLessThan(8_000);
  const answers = new Set(cutBodies.map(({ text }) => text.slice(0, 'HTTP/1.1 408'.length)));
  // As many actions as are taken at once wait for their bodies. The others are told that there are too many.
  expect([...answers].sort()).toEqual(['HTTP/1.1 408', 'HTTP/1.1 503']);
  expect(longest(cutBodies)).toBeLessThan(34_000);
}, 90_000);

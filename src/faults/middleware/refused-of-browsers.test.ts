import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createRefusedTeller } from './refused-of-browsers.ts';

let recorder: Server;
let status: number;
let told: (string | undefined)[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  status = 200;
  told = [];
  recorder = createServer((incoming, outgoing) => {
    const { 'x-flight-refused': refused, 'x-sentry-auth': key, 'x-flight-side': side } = incoming.headers;
    told.push(`${incoming.method} ${incoming.url} ${String(key)} ${String(side)} ${String(refused)}`);
    incoming.resume().on('end', () => outgoing.writeHead(status).end('{}'));
  });
  await new Promise<void>((resolve) => {
    recorder.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  vi.useRealTimers();
  await new Promise((resolve) => {
    recorder.close(resolve);
  });
});

function readAddress() {
  const { port } = recorder.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}/_flight`, app: 'shop', key: 'secret' };
}

async function waitFor(count: number): Promise<void> {
  await vi.waitFor(() => expect(told).toHaveLength(count), { timeout: 10_000 });
}

it('tells the recorder how many of each were refused, together', async () => {
  const tell = createRefusedTeller(readAddress);
  tell('too-many-requests');
  tell('overloaded');
  tell('too-many-requests');
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  await waitFor(1);
  expect(told[0]).toMatch(
    /^POST \/\S+\/shop\/envelope\/ .*sentry_key=secret browser too-many-requests=2,overloaded=1$/,
  );
});

it('tells again what a recorder that is away, or fails, has not taken', async () => {
  let isAway = true;
  const tell = createRefusedTeller(() => (isAway ? undefined : readAddress()));
  tell('too-many-requests');
  await vi.advanceTimersByTimeAsync(5_000);
  isAway = false;
  status = 503;
  tell('too-many-requests');
  await vi.advanceTimersByTimeAsync(5_000);
  await waitFor(1);
  status = 200;
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { timeout: 10_000 });
  await vi.advanceTimersByTimeAsync(5_000);
  await waitFor(2);
  expect(told.map((line) => line?.split(' ').at(-1))).toEqual(['too-many-requests=2', 'too-many-requests=2']);
});

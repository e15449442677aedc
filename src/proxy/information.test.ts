import { connect, createServer, type Server } from 'node:net';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createProxy, type Proxy } from './create-proxy.ts';

const mebibyte = 1024 * 1024;
const hint = `HTTP/1.1 103 Early Hints\r\nlink: ${'a'.repeat(8_000)}\r\n\r\n`;
const end = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone';
let app: Server;
let proxy: Proxy;
/** How many the app sends before it answers. */
let hints: number;
/** The proxy has read all that the app sent. */
let isSent: boolean;

beforeEach(async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  isSent = false;
  app = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      for (let count = 0; count < hints; count += 1) socket.write(hint);
      socket.write(end, () => (isSent = true));
    });
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const address = app.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  proxy = createProxy({ to: `http://127.0.0.1:${address.port}` });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await proxy.drain(50);
  app.close();
});

async function ask(port: number): Promise<{ readonly readAll: () => Promise<string> }> {
  const client = connect(port, '127.0.0.1');
  client.pause().write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  return {
    readAll: () =>
      new Promise((resolve, reject) => {
        const read: Buffer[] = [];
        client.on('data', (chunk) => read.push(chunk)).on('error', reject);
        client.on('close', () => resolve(Buffer.concat(read).toString()));
        client.resume();
      }),
  };
}

it('hints of the app reach its client', async () => {
  hints = 3;
  const { readAll } = await ask(await proxy.listen(0, '127.0.0.1'));
  const text = await readAll();
  expect(text.split('103 Early Hints')).toHaveLength(4);
  expect(text).toMatch(/done$/);
});

it('of an app that sends hints without end a client that does not read gets some, and the answer', async () => {
  hints = 8_000;
  const { readAll } = await ask(await proxy.listen(0, '127.0.0.1'));
  await vi.waitFor(() => expect(isSent).toBe(true), { timeout: 20_000 });
  const text = await readAll();
  expect(text).toMatch(/done$/);
  // What the system's own buffers hold, of 61 MiB.
  expect(text.length).toBeLessThan(16 * mebibyte);
});

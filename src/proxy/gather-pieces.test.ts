import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { expect, it, vi } from 'vitest';

import { gatherPieces } from './gather-pieces.ts';

const isAddress = (address: unknown): address is AddressInfo =>
  typeof address === 'object' && address !== null && 'port' in address;

/** One answer to a client that does not read, written by `write`. */
async function answer(write: (pieces: ReturnType<typeof gatherPieces>) => Promise<void>) {
  const told: string[] = [];
  const seen = { writes: 0, told, body: '' };
  const done = Promise.withResolvers<void>();
  const server = createServer(async (_, outgoing) => {
    const spy = vi.spyOn(outgoing, 'write');
    const pieces = gatherPieces(outgoing, { pause: () => told.push('pause'), resume: () => told.push('resume') });
    await write(pieces);
    pieces.flush();
    seen.writes = spy.mock.calls.length;
    outgoing.end(done.resolve);
    client.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!isAddress(address)) throw new Error('no port');
  const client = connect(address.port, '127.0.0.1', () => client.write('GET / HTTP/1.0\r\n\r\n'));
  client.on('data', (bytes) => (seen.body += bytes.toString('latin1')));
  client.pause();
  const ended = once(client, 'close');
  await done.promise;
  await ended;
  server.close();
  return { ...seen, body: seen.body.slice(seen.body.indexOf('\r\n\r\n') + 4) };
}

it('writes the pieces of one read together, in their order', async () => {
  const { writes, body } = await answer(async ({ add }) => {
    for (let piece = 0; piece < 5_000; piece += 1) add(Buffer.from(String(piece % 10)));
  });
  expect(writes).toBe(1);
  expect(body).toBe('0123456789'.repeat(500));
});

it('pauses the app after so many writes that wait, however small they are, and lets it go on', async () => {
  const { told, body } = await answer(async ({ add }) => {
    for (let read = 0; read < 3_000; read += 1) {
      add(Buffer.from('x'));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  expect(body).toHaveLength(3_000);
  // A socket that takes all at once need not pause.
  expect(told.filter((word) => word === 'pause').length > 0).toBe(told.includes('resume'));
});

import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import { expect, it } from 'vitest';

import { postMessage } from './post-message.ts';

const isAddress = (address: unknown): address is AddressInfo =>
  typeof address === 'object' && address !== null && 'port' in address;

async function post(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!isAddress(address)) throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}/`;
  const { signal } = new AbortController();
  const sent = await postMessage({ url, body: '{}', headers: {}, mayReachInside: true, signal });
  server.close();
  return sent;
}

it('leaves a receiver that answers without end before it answers', async () => {
  const sent = await post((socket) => {
    const send = (): void => {
      if (socket.destroyed) return;
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100), () => setImmediate(send));
    };
    send();
  });
  expect(sent).toEqual({ isSent: false, answer: 'more than 10 answers before the answer' });
});

it('takes an answer behind some hints', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(3);
  const sent = await post((socket) => void socket.end(`${hints}HTTP/1.1 204 No Content\r\n\r\n`));
  expect(sent).toEqual({ isSent: true, answer: 'status 204' });
});

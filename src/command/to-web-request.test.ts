import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';

import { expect, it, onTestFinished } from 'vitest';

import { toWebRequest } from './to-web-request.ts';

async function listen(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen');
  return address.port;
}

it('has the method, the address, the headers and the body', async () => {
  const port = await listen((incoming, outgoing) => {
    const { method, url, headers } = toWebRequest(incoming);
    void toWebRequest(incoming)
      .text()
      .then((text) => outgoing.end(JSON.stringify([method, url, headers.get('x-a'), text])));
  });
  const response = await fetch(`http://127.0.0.1:${port}/a?b=1`, {
    method: 'POST',
    headers: { 'x-a': '1' },
    body: 'x'.repeat(300_000),
  });
  expect(await response.json()).toEqual(['POST', `http://127.0.0.1:${port}/a?b=1`, '1', 'x'.repeat(300_000)]);
});

it('goes on where a body is left half-way, and ends later', async () => {
  const ended = Promise.withResolvers<void>();
  const port = await listen((incoming, outgoing) => {
    incoming.on('end', ended.resolve);
    const reader = toWebRequest(incoming).body?.getReader();
    void reader
      ?.read()
      .then(() => reader.cancel())
      .then(() => outgoing.writeHead(413).end());
  });
  const sent = request({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/',
    headers: { 'transfer-encoding': 'chunked' },
  });
  sent.write('x'.repeat(70_000));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  expect(response?.statusCode).toBe(413);
  response?.resume();
  // An error in a listener would end the process: it fails the test.
  sent.end('and the rest');
  await ended.promise;
});

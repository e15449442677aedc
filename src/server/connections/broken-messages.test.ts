import { createServer } from 'node:http';
import { connect } from 'node:net';

import { expect, it, vi } from 'vitest';

import { failBody } from './broken-messages.ts';

it('sends what is written of an answer, though the request’s body breaks in the same packet', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => undefined);
    server.once('clientError', (error) => failBody(outgoing, error, { code: 'malformed-request', detail: 'a chunk' }));
    outgoing.writeHead(413);
    outgoing.write('too large');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  const client = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  client.on('data', (data) => (text += String(data)));
  const closed = new Promise((resolve) => client.on('close', resolve));
  client.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n');
  await closed;
  server.close();
  expect(text).toMatch(/^HTTP\/1\.1 413 [^]*too large\r\n$/);
});

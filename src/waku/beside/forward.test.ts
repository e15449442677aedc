import { once } from 'node:events';
import { createServer, request as startRequest, type IncomingMessage, type RequestListener } from 'node:http';

import { describe, expect, it } from 'vitest';

import { type Front, openFront } from './testing/open-front.ts';

/** A visitor, the app's server with either way of passing on, and an interface that answers as the test says. */
function open(front: Front, answer: RequestListener): Promise<number> {
  return openFront(front, createServer(answer));
}

type Answer = { readonly response: IncomingMessage; readonly body: Promise<Buffer> };

async function read(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) if (piece instanceof Buffer) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function ask(port: number, path: string, options: object = {}, body?: Buffer): Promise<Answer> {
  const request = startRequest({ host: '127.0.0.1', port, path, ...options });
  request.end(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  return { response, body: read(response) };
}

describe.each(['web', 'node'] as const)('in front of an interface, by %s requests', (front) => {
  it('passes on the target, the method, the body and the answer as they are', async () => {
    const port = await open(front, async (incoming, outgoing) => {
      const body = await read(incoming);
      outgoing.setHeader('set-cookie', ['a=1; Path=/', 'b=2; Path=/']);
      outgoing.writeHead(422, { 'content-type': 'text/plain', 'content-encoding': 'x-own' });
      outgoing.end(`${incoming.method} ${incoming.url} ${incoming.headers.host} ${body.length}`);
    });
    const { response, body } = await ask(
      port,
      '/_flight/a%2Fb//c?x=%20&y',
      { method: 'POST' },
      Buffer.alloc(3_000_000),
    );
    expect([response.statusCode, response.headers['set-cookie'], response.headers['content-encoding']]).toEqual([
      422,
      ['a=1; Path=/', 'b=2; Path=/'],
      'x-own',
    ]);
    expect(String(await body)).toBe('POST /_flight/a%2Fb//c?x=%20&y shop.example 3000000');
  });

  it('brings a page of 5 MB to a visitor who begins to read late', async () => {
    const page = Buffer.alloc(5_000_000, 'abcdefgh');
    const isTaken = Promise.withResolvers<void>();
    const port = await open(front, (_, outgoing) => {
      outgoing.once('drain', () => outgoing.end());
      outgoing.write(page, () => isTaken.resolve());
    });
    const request = startRequest({ host: '127.0.0.1', port });
    const response = new Promise<IncomingMessage>((resolve) => request.on('response', resolve));
    request.end();
    const answer = (await response).pause();
    expect((await read(answer)).equals(page)).toBe(true);
    await isTaken.promise;
  });

  it.each([
    ['HEAD', 200],
    ['GET', 304],
    ['GET', 204],
  ])('answers %s with %i and no body', async (method, status) => {
    const port = await open(front, (_, outgoing) => {
      outgoing.writeHead(status, { etag: '"x"', ...(method === 'HEAD' ? { 'content-length': '7' } : {}) }).end();
    });
    const { response, body } = await ask(port, '/', { method });
    expect([response.statusCode, response.headers.etag, (await body).length]).toEqual([status, '"x"', 0]);
    if (method === 'HEAD') expect(response.headers['content-length']).toBe('7');
  });

  it('sends each piece as it comes', async () => {
    const next = Promise.withResolvers<void>();
    const port = await open(front, async (_, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      await next.promise;
      outgoing.end('data: 2\n\n');
    });
    const response = await new Promise<IncomingMessage>((resolve) => {
      startRequest({ host: '127.0.0.1', port }).on('response', resolve).end();
    });
    const [first]: unknown[] = await once(response, 'data');
    expect(String(first)).toBe('data: 1\n\n');
    next.resolve();
    const [second]: unknown[] = await once(response, 'data');
    expect(String(second)).toBe('data: 2\n\n');
  });

  it('tells the interface when the visitor leaves', async () => {
    const left = Promise.withResolvers<void>();
    const port = await open(front, (_, outgoing) => {
      outgoing.on('close', left.resolve);
      outgoing.writeHead(200).write('a piece');
    });
    const request = startRequest({ host: '127.0.0.1', port }).on('error', () => undefined);
    request.on('response', (response: IncomingMessage) => response.once('data', () => request.destroy())).end();
    await left.promise;
  });

  it('tells the interface when the visitor leaves before there is an answer', async () => {
    const left = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const port = await open(front, (_, outgoing) => {
      outgoing.on('close', left.resolve);
      arrived.resolve();
    });
    const request = startRequest({ host: '127.0.0.1', port }).on('error', () => undefined);
    request.end();
    await arrived.promise;
    request.destroy();
    await left.promise;
  });

  it('breaks off where the interface breaks off', async () => {
    const port = await open(front, (_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '1000' });
      outgoing.write('not all of it', () => outgoing.destroy());
    });
    const { body } = await ask(port, '/');
    await expect(body).rejects.toThrow();
  });

  it('is told where there is no answer at all', async () => {
    const port = await open(front, (_, outgoing) => void outgoing.destroy());
    expect((await ask(port, '/', { method: 'POST' }, Buffer.from('x'))).response.statusCode).toBe(503);
  });

  it('does not send a body twice', async () => {
    let requests = 0;
    const port = await open(front, (incoming, outgoing) => {
      requests += 1;
      if (requests === 2) incoming.socket.resetAndDestroy();
      else outgoing.end('answered');
    });
    await (
      await ask(port, '/')
    ).body;
    expect((await ask(port, '/', { method: 'POST' }, Buffer.from('x'))).response.statusCode).toBe(503);
    expect(requests).toBe(2);
  });

  it('asks again where the connection was just being closed, for what has no body', async () => {
    let requests = 0;
    const port = await open(front, (incoming, outgoing) => {
      requests += 1;
      // The second one comes on the kept connection, which ends before it is answered.
      if (requests === 2) incoming.socket.resetAndDestroy();
      else outgoing.end('answered');
    });
    for (const _ of [1, 2]) expect(String(await (await ask(port, '/')).body)).toBe('answered');
    expect(requests).toBe(3);
  });
});

import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';

import { describe, expect, it } from 'vitest';

import { type Front, openFront } from './testing/open-front.ts';

/** Bytes as an attacker writes them, and what the interface takes for requests. */
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: shop.example\r\n\r\n';
const chunks = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;

type Interface = { readonly port: number; readonly targets: string[]; readonly connections: () => number };

/** An interface that notes what arrives, and answers with the target. */
async function open(front: Front, answer?: RequestListener): Promise<Interface> {
  const targets: string[] = [];
  let connections = 0;
  const server = createServer((incoming, outgoing) => {
    targets.push(incoming.url ?? '');
    if (answer && incoming.method === 'POST') return answer(incoming, outgoing);
    incoming.resume().on('end', () => outgoing.end(`<${incoming.url}>`));
  });
  server.on('connection', () => (connections += 1));
  const port = await openFront(front, server);
  return { port, targets, connections: () => connections };
}

/** What comes back until the connection ends, or until `isEnough`. */
async function send(port: number, bytes: string, isEnough?: RegExp): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => undefined).write(bytes, 'latin1');
  let text = '';
  for await (const piece of socket) {
    text += String(piece);
    if (isEnough?.test(text)) break;
  }
  return text;
}

function write(method: string, headers: readonly string[], body: string): string {
  const close = headers.some((header) => header.startsWith('Connection')) ? [] : ['Connection: close'];
  return `${[`${method} /attack HTTP/1.1`, 'Host: shop.example', ...close, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

const get = 'GET /victim HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n';
const length = `Content-Length: ${smuggled.length}`;
const te = 'Transfer-Encoding: chunked';

describe.each(['web', 'node'] as const)('a body that looks like a request, by %s requests', (front) => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH'])('of %s never reaches the interface', async (method) => {
    const { port, targets } = await open(front);
    const status = method === 'DELETE' || method === 'PATCH' ? 405 : 400;
    const named = `Connection: close, content-length`;
    for (const [headers, body] of [
      [[te], chunks],
      [[length], smuggled],
      [[named, length], smuggled],
    ] as const) {
      expect(await send(port, write(method, headers, body))).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(await send(port, get)).toContain('</victim>');
    }
    expect(targets).toEqual(['/victim', '/victim', '/victim']);
  });

  it.each(['POST', 'PUT'])('of %s is a body', async (method) => {
    const { port, targets } = await open(front);
    const extended = chunks.replace('\r\n', ';a="b"\r\n').replace('0\r\n\r\n', '0\r\nX-Trailer: 5\r\n\r\n');
    for (const [headers, body] of [
      [[te], chunks],
      [[te], extended],
      [[length], smuggled],
      [['Connection: close, content-length, transfer-encoding, host', length], smuggled],
    ] as const) {
      expect(await send(port, write(method, headers, body))).toContain('</attack>');
      expect(await send(port, get)).toContain('</victim>');
    }
    expect(new Set(targets)).toEqual(new Set(['/attack', '/victim']));
    expect(targets.length).toBe(8);
  });

  it('goes on with one framing, on a connection of its own, also where nothing is wrong', async () => {
    const { port, connections } = await open(front, ({ headers }, outgoing) => {
      outgoing.end(`<${headers['content-length']} ${headers['transfer-encoding']}>`);
    });
    expect(await send(port, get)).toContain('</victim>');
    expect(await send(port, write('POST', [length], smuggled))).toContain(`<${smuggled.length} undefined>`);
    expect(await send(port, write('POST', [te], chunks))).toContain('<undefined chunked>');
    expect(await send(port, write('POST', [], ''))).toContain('<0 undefined>');
    expect(await send(port, get)).toContain('</victim>');
    expect(connections()).toBe(4);
  });

  it('has a length or chunks, not both', async () => {
    const { port, targets } = await open(front);
    expect(await send(port, write('POST', [te, length], chunks))).toMatch(/^HTTP\/1.1 400 /);
    expect(targets).toEqual([]);
  });

  it('is on a connection that nobody else gets, also where the answer comes before its end', async () => {
    const { port, targets, connections } = await open(front, (_, outgoing) => outgoing.writeHead(413).end('too much'));
    expect(await send(port, get)).toContain('</victim>');
    const unfinished = write('POST', ['Content-Length: 1000000'], smuggled);
    expect(await send(port, unfinished, /too much/)).toMatch(/^HTTP\/1.1 413 /);
    for (const _ of [1, 2, 3]) expect(await send(port, get)).toContain('</victim>');
    expect(targets).toEqual(['/victim', '/attack', '/victim', '/victim', '/victim']);
    // One for all victims, one for the attack.
    expect(connections()).toBe(2);
  });

  it('is on a connection that ends with the visitor', async () => {
    const ended = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { port, targets } = await open(front, (incoming) => {
      incoming.on('error', () => undefined).on('close', ended.resolve);
      arrived.resolve();
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(write('POST', ['Content-Length: 1000'], smuggled));
    await arrived.promise;
    socket.destroy();
    await ended.promise;
    expect(await send(port, get)).toContain('</victim>');
    expect(targets).toEqual(['/attack', '/victim']);
  });
});

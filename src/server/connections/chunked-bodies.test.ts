import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { gatherChunks, limitChunks } from './chunked-bodies.ts';
import { refuseRequest } from './refusal.ts';

/** Of one byte, as many as a read of 64 KiB has. */
const inOneRead = (64 * 1024) / 6;

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** What came of a body: in how many pieces it was read, its text, and how many chunks the parser gave in one turn. */
type Seen = { pieces: number; text: string; mostInTurn: number };

/** Counts what Node's parser hands over between two turns of the event loop. */
function countActivities(incoming: IncomingMessage, seen: Seen): void {
  const push: IncomingMessage['push'] = incoming.push.bind(incoming);
  let inTurn = 0;
  incoming.push = (chunk: Uint8Array | null) => {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += 1;
    seen.mostInTurn = Math.max(seen.mostInTurn, inTurn);
    return push(chunk);
  };
}

/** True: it has answered. */
type Limit = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean | void;

async function send(limit: Limit, chunks: number): Promise<Seen & { readonly answer: string }> {
  const seen: Seen = { pieces: 0, text: '', mostInTurn: 0 };
  server = createServer((incoming, outgoing) => {
    const isAnswered = limit(incoming, outgoing) === true;
    countActivities(incoming, seen);
    if (isAnswered) return;
    incoming
      .on('data', (piece: Buffer) => {
        seen.pieces += 1;
        seen.text += piece.toString();
      })
      .on('end', () => outgoing.end('whole'))
      .on('error', () => outgoing.writeHead(400).end('refused'));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const socket = connect(address.port, '127.0.0.1').on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`);
  socket.write(`${'1\r\na\r\n'.repeat(chunks)}0\r\n\r\n`);
  let answer = '';
  for await (const piece of socket) answer += String(piece);
  return { ...seen, answer: answer.split('\r\n', 1)[0] ?? '' };
}

describe('a body in chunks of one byte', () => {
  it('comes whole, and few pieces of it are read', async () => {
    const { pieces, text, answer } = await send(limitChunks, 4_000);
    expect(answer).toBe('HTTP/1.1 200 OK');
    expect(text).toBe('a'.repeat(4_000));
    expect(pieces).toBeLessThan(100);
  });

  it('is refused when it has too many, with one read of the connection in a turn', async () => {
    vi.spyOn(console, 'log').mockReturnValue(undefined);
    const { answer, mostInTurn } = await send(limitChunks, 150_000);
    expect(answer).toBe('HTTP/1.1 400 Bad Request');
    expect(mostInTurn).toBeLessThan(inOneRead + 2_048);
  });

  it('is dropped with one read of the connection in a turn, where its head was refused', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const refused = await send((incoming, outgoing) => {
      refuseRequest(incoming, outgoing, { code: 'target-too-long', detail: '' });
      return true;
    }, 150_000);
    expect(refused.answer).toBe('HTTP/1.1 414 URI Too Long');
    expect(refused.mostInTurn).toBeLessThan(inOneRead + 2_048);
  });

  it('goes through the proxy whole, with one read of the connection in a turn', async () => {
    const { answer, text, mostInTurn } = await send(gatherChunks, 150_000);
    expect(answer).toBe('HTTP/1.1 200 OK');
    expect(text).toBe('a'.repeat(150_000));
    expect(mostInTurn).toBeLessThan(inOneRead + 2_048);
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { readFlightFile } from '#flight';

import { createSampleHead } from '../recorder/testing/sample-head.ts';
import { createFlightWriter } from './sqlite-writer.ts';
import { startShipping, type Shipping, type ShippingNote } from './ship-flights.ts';

type Taken = { readonly id: string; readonly body: string };
type Reply = { readonly status: number; readonly headers?: Record<string, string> };

let folder: string;
let server: Server;
let base: string;
let writer: ReturnType<typeof createFlightWriter>;
let shipping: Shipping | undefined;
let taken: Taken[];
let batches: number[];
let heads: IncomingMessage['headers'][];
let notes: ShippingNote[];
let reply: (flights: readonly Taken[]) => Reply;

function readBatch(text: string): Taken[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const result = readFlightFile(line);
      if (result.kind === 'malformed') throw new Error(result.reason);
      return { id: result.file.facts.requestId, body: Buffer.from(result.file.body).toString() };
    });
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-spool-'));
  [taken, batches, heads, notes, shipping] = [[], [], [], [], undefined];
  reply = () => ({ status: 200 });
  writer = createFlightWriter({ folder, bytesLimit: 4 * 1024 * 1024, ageMs: 1e12, onDamage: () => undefined });
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const flights = readBatch(gunzipSync(Buffer.concat(pieces)).toString());
      batches.push(flights.length);
      heads.push({ ...request.headers, ':path': request.url ?? '' });
      const { status, headers } = reply(flights);
      if (status === 200) taken.push(...flights);
      response.writeHead(status, headers).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('not listening');
  base = `http://127.0.0.1:${address.port}/mounted`;
});

afterEach(async () => {
  await shipping?.stop();
  writer.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

/** A busy machine takes its time. */
function poll<T>(read: () => T) {
  return expect.poll(read, { timeout: 10_000 });
}

function write(id: string, body: Buffer | string = `0:"${id}"\n`): void {
  const payload = Buffer.from(body);
  const head = createSampleHead({ requestId: id, content: 'flight', bytes: payload.length, keptBytes: payload.length });
  writer.write([{ head, payload, debug: Buffer.alloc(0), args: Buffer.alloc(0) }]);
}

function start(): void {
  shipping = startShipping({ base, app: 'shop', key: 'k3y' }, writer, (note) => notes.push(note));
}

function listLeft(): number {
  return [...writer.readOldest(100)].length;
}

describe('flights in the spool', () => {
  it('are sent in their order with the key, and are gone afterwards', async () => {
    for (const id of ['a', 'b', 'c']) write(id);
    start();
    await poll(() => taken.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(taken.map(({ body }) => body)).toEqual(['0:"a"\n', '0:"b"\n', '0:"c"\n']);
    expect(heads).toEqual([
      expect.objectContaining({
        ':path': '/mounted/api/shop/flights',
        authorization: 'Bearer k3y',
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
      }),
    ]);
    await poll(listLeft).toBe(0);
    expect(notes).toEqual([]);
  });

  it('are sent when they come later', async () => {
    start();
    write('late');
    shipping?.plan();
    await poll(() => taken).toHaveLength(1);
  });

  it('stay until the other side takes them; that is said once, and once that it goes on', async () => {
    let refusals = 0;
    reply = () => (++refusals > 2 ? { status: 200 } : { status: 503, headers: { 'retry-after': '0.05' } });
    write('a');
    start();
    await poll(() => taken).toHaveLength(1);
    expect(batches).toEqual([1, 1, 1]);
    // The other side has them before its answer is here.
    await poll(() => notes).toEqual([{ type: 'waiting', reason: 'it answered 503' }, { type: 'sending' }]);
  });

  it('stay while nobody answers', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    write('a');
    start();
    await poll(() => notes).toEqual([{ type: 'waiting', reason: expect.stringContaining('ECONNREFUSED') }]);
    expect(listLeft()).toBe(1);
  });

  it('are dropped alone when they are not taken, and counted', async () => {
    reply = (flights) => ({ status: flights.some(({ id }) => id === 'bad') ? 400 : 200 });
    for (const id of ['a', 'b', 'bad', 'c', 'd']) write(id);
    start();
    await poll(() => taken.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(notes).toEqual([{ type: 'lost', count: 1, reason: 'it answered 400' }]);
    await poll(listLeft).toBe(0);
  });

  it('are sent in several batches when they are large', async () => {
    for (const id of ['a', 'b', 'c', 'd']) write(id, Buffer.alloc(1024 * 1024, id));
    start();
    await poll(() => taken).toHaveLength(4);
    expect(batches.length).toBeGreaterThan(1);
  });

  it('are dropped when they cannot be packed small enough', async () => {
    write('random', randomBytes(1024 * 1024));
    write('small');
    start();
    await poll(() => taken.map(({ id }) => id)).toEqual(['small']);
    expect(notes).toEqual([{ type: 'lost', count: 1, reason: 'it is larger than 1048576 bytes, packed' }]);
  });

  it('that went to make room are counted', async () => {
    write('a');
    start();
    await poll(() => taken).toHaveLength(1);
    await poll(listLeft).toBe(0);
    for (const id of ['b', 'c', 'd']) write(id);
    const [b, c] = [...writer.readOldest(2)].map(({ id }) => id);
    if (b === undefined || c === undefined) throw new Error('they were not written');
    writer.forget([b, c]);
    shipping?.plan();
    await poll(() => taken.map(({ id }) => id)).toEqual(['a', 'd']);
    await poll(() => notes).toEqual([{ type: 'lost', count: 2, reason: 'the spool was full' }]);
  });

  it('are sent once more at the end', async () => {
    start();
    await shipping?.stop();
    write('a');
    shipping = startShipping({ base, app: 'shop', key: 'k3y' }, writer, (note) => notes.push(note));
    await shipping.stop();
    shipping = undefined;
    expect(taken).toHaveLength(1);
  });
});

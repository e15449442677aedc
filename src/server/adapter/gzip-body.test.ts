import { gunzipSync } from 'node:zlib';

import { describe, expect, it, vi } from 'vitest';

import type { Body, BodyStart, Sink } from '#src/server/http/body.ts';

import { gzipBody, smallestBody } from './gzip-body.ts';

/** A body that a test writes by hand. */
function createSource(first: BodyStart) {
  const started = Promise.withResolvers<Sink>();
  const body = {
    start: vi.fn<Body['start']>((sink) => {
      started.resolve(sink);
      return first;
    }),
    resume: vi.fn(),
    sent: vi.fn<NonNullable<Body['sent']>>(),
    cancel: vi.fn(),
  };
  return { body, sink: started.promise };
}

function createTarget() {
  const chunks: Uint8Array[] = [];
  const ended = Promise.withResolvers<Buffer>();
  const target = {
    chunks,
    write: vi.fn<Sink['write']>((bytes) => chunks.push(bytes) > 0),
    end: vi.fn<Sink['end']>((bytes) => {
      chunks.push(bytes);
      ended.resolve(Buffer.concat(chunks));
    }),
    destroy: vi.fn<Sink['destroy']>(),
    ended: ended.promise,
  };
  return target;
}

/** Without an end, as a browser reads it: what can be told from the bytes so far. */
function unpackSoFar(chunks: readonly Uint8Array[]): string {
  return gunzipSync(Buffer.concat(chunks), { finishFlush: 2 }).toString();
}

const text = 'a page of many words that come again and again. ';
const open: BodyStart = { bytes: Buffer.from('<html>'), isComplete: false };

/** What no compressor makes smaller. */
function createNoise(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Hundreds of trips through the thread pool: whatever else was on its way there has come back. */
async function outlast(): Promise<void> {
  const target = createTarget();
  const bytes = Buffer.concat(Array.from({ length: 32 }, () => createNoise(65_536)));
  gzipBody(createSource({ bytes, isComplete: true }).body).start(target);
  await target.ended;
}

describe('a body that is there at once', () => {
  it.each([
    ['is left alone when it is small', smallestBody - 1, undefined],
    ['is compressed at once', smallestBody, 'gzip'],
    ['is compressed at once when it is larger', 100_000, 'gzip'],
  ])('%s', (_name, size, encoding) => {
    const bytes = Buffer.from(text.repeat(3000)).subarray(0, size);
    const { body } = createSource({ bytes, isComplete: true });
    const compressed = gzipBody(body);
    const start = compressed.start(createTarget());
    compressed.sent?.(start.bytes.byteLength, start.bytes.byteLength);
    expect(body.sent).toHaveBeenCalledExactlyOnceWith(size, start.bytes.byteLength);
    expect([start.isComplete, start.encoding]).toEqual([true, encoding]);
    expect(Buffer.compare(encoding ? gunzipSync(start.bytes) : start.bytes, bytes)).toBe(0);
    if (encoding) expect(start.bytes.byteLength).toBeLessThan(size / 2);
  });

  it('is compressed away from the main thread when it is very large', async () => {
    const bytes = Buffer.from(text.repeat(10_000));
    const target = createTarget();
    const start = gzipBody(createSource({ bytes, isComplete: true }).body).start(target);
    expect(start).toEqual({ bytes: new Uint8Array(), isComplete: false, encoding: 'gzip' });
    expect(Buffer.compare(gunzipSync(await target.ended), bytes)).toBe(0);
  });
});

describe('a stream', () => {
  it('can be read up to each write before the next one comes', async () => {
    const { body, sink } = createSource(open);
    const target = createTarget();
    const compressed = gzipBody(body);
    expect(compressed.start(target).encoding).toBe('gzip');
    await vi.waitFor(() => expect(unpackSoFar(target.chunks)).toBe('<html>'));
    const source = await sink;
    expect(source.write(Buffer.from(text))).toBe(true);
    await vi.waitFor(() => expect(unpackSoFar(target.chunks)).toBe(`<html>${text}`));
    source.end(Buffer.from('</html>'));
    const sent = await target.ended;
    expect(gunzipSync(sent).toString()).toBe(`<html>${text}</html>`);
    compressed.sent?.(sent.length, sent.length);
    expect(body.sent).toHaveBeenCalledExactlyOnceWith(`<html>${text}</html>`.length, sent.length);
  });

  it('begins with its first write when nothing is there yet', async () => {
    const { body, sink } = createSource({ bytes: new Uint8Array(), isComplete: false });
    const target = createTarget();
    gzipBody(body).start(target);
    (await sink).end(Buffer.from('all of it'));
    expect(gunzipSync(await target.ended).toString()).toBe('all of it');
  });

  it('holds the page while the reader takes no more, and lets it go on after', async () => {
    const { body, sink } = createSource(open);
    const target = createTarget();
    const compressed = gzipBody(body);
    target.write.mockImplementation((bytes) => target.chunks.push(bytes) < 0);
    compressed.start(target);
    const source = await sink;
    await vi.waitFor(() => expect(target.write).toHaveBeenCalled());
    let written = 0;
    do {
      body.resume.mockClear();
      for (let hasRoom = true; hasRoom; written += 8192) hasRoom = source.write(createNoise(8192));
      await outlast();
      // What zlib's two queues hold, and no more.
      expect(written).toBeLessThan(128 * 1024);
    } while (body.resume.mock.calls.length > 0);
    const taken = target.chunks.length;
    target.write.mockImplementation((bytes) => target.chunks.push(bytes) > 0);
    compressed.resume();
    await vi.waitFor(() => expect(body.resume).toHaveBeenCalled());
    expect(target.chunks.length).toBeGreaterThan(taken);
    source.end(Buffer.from('the end'));
    expect(
      gunzipSync(await target.ended)
        .subarray(-7)
        .toString(),
    ).toBe('the end');
  });

  it('stops with its reader: the page is cancelled and late writes go nowhere', async () => {
    const { body, sink } = createSource(open);
    const target = createTarget();
    const compressed = gzipBody(body);
    compressed.start(target);
    compressed.cancel();
    expect(body.cancel).toHaveBeenCalledOnce();
    const source = await sink;
    source.write(Buffer.from(text));
    source.end(Buffer.from(text));
    await outlast();
    expect(target.end).not.toHaveBeenCalled();
    expect(target.destroy).not.toHaveBeenCalled();
  });

  it('breaks with its page', async () => {
    const { body, sink } = createSource(open);
    const target = createTarget();
    gzipBody(body).start(target);
    const error = new Error('the page failed');
    (await sink).destroy(error);
    expect(target.destroy).toHaveBeenCalledExactlyOnceWith(error);
    expect(target.end).not.toHaveBeenCalled();
  });
});

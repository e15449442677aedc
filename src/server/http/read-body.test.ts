import { describe, expect, it } from 'vitest';

import { takeBody } from './read-body.ts';

const limit = { bytes: 1024 * 1024, code: 'body-too-large' } as const;

/** A request whose body comes as `count` chunks of `size` bytes, and how many of them were asked for. */
function sendChunks(count: number, size: number) {
  const chunk = new Uint8Array(size).fill(97);
  const sent = { chunks: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent.chunks === count) return controller.close();
        sent.chunks += 1;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  // Node wants `duplex`, which the DOM's types do not have.
  const init = { method: 'POST', body, duplex: 'half' };
  return { request: new Request('http://a/', init), sent };
}

describe('a body without a length', () => {
  it.each([
    [1, 10],
    [4_000, 1],
    [5_000, 100],
    [100, 10_000],
    [2, 524_288],
  ])('of %i chunks of %i bytes is read whole', async (count, size) => {
    const body = await takeBody(sendChunks(count, size).request, limit);
    expect(body).toEqual(new Uint8Array(count * size).fill(97));
  });

  it('beyond the limit is refused, and the rest is not read', async () => {
    const { request, sent } = sendChunks(100, 100_000);
    expect(await takeBody(request, limit)).toMatchObject({ code: 'body-too-large' });
    expect(sent.chunks).toBeLessThan(13);
  });
});

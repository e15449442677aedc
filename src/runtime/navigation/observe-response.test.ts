import { expect, test, vi } from 'vitest';

import { observeResponse } from './observe-response.ts';

function setUp(response: Response) {
  const onChunk = vi.fn<() => void>();
  const onEnd = vi.fn<() => void>();
  return { onChunk, onEnd, observed: observeResponse(response, { onChunk, onEnd }) };
}

test('passes status, headers and body on, and tells of chunks and the end', async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('one '));
      controller.enqueue(new TextEncoder().encode('two'));
      controller.close();
    },
  });
  const { observed, onChunk, onEnd } = setUp(
    new Response(body, { status: 201, headers: { 'x-flight-page': 'static' } }),
  );
  expect(observed.status).toBe(201);
  expect(observed.headers.get('x-flight-page')).toBe('static');
  expect(onEnd).not.toHaveBeenCalled();
  expect(await observed.text()).toBe('one two');
  expect(onChunk).toHaveBeenCalledTimes(2);
  expect(onEnd).toHaveBeenCalledOnce();
});

test('a body that breaks off is an end, and breaks off for the reader too', async () => {
  const { observed, onEnd } = setUp(
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.error(new TypeError('network error'));
        },
      }),
    ),
  );
  await expect(observed.text()).rejects.toThrow('network error');
  expect(onEnd).toHaveBeenCalledOnce();
});

test('giving up the body gives up its source', async () => {
  const cancel = vi.fn<(reason: unknown) => void>();
  const { observed, onEnd } = setUp(new Response(new ReadableStream({ cancel })));
  await observed.body?.cancel('enough');
  expect(cancel).toHaveBeenCalledWith('enough');
  expect(onEnd).toHaveBeenCalledOnce();
});

test('no body is an end', () => {
  const { onEnd } = setUp(new Response(null, { status: 204 }));
  expect(onEnd).toHaveBeenCalledOnce();
});

import { expect, test, vi } from 'vitest';

import type { Sink } from '#src/server/http/body.ts';

import { readAhead } from './web-body.ts';

function createSink(hasRoom = true) {
  return { write: vi.fn<Sink['write']>(() => hasRoom), end: vi.fn<Sink['end']>(), destroy: vi.fn<Sink['destroy']>() };
}

function createStream() {
  const cancel = vi.fn();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel,
  });
  if (!controller) throw new Error('The stream did not start');
  return { stream, controller, cancel };
}

test('what is there at once is known to be whole', async () => {
  const { body } = new Response('{"status":"ok"}');
  if (!body) throw new Error('The response has no body');
  const start = (await readAhead(body)).start(createSink());
  expect([Buffer.from(start.bytes).toString(), start.isComplete]).toEqual(['{"status":"ok"}', true]);
});

test('an empty stream is whole', async () => {
  const { stream, controller } = createStream();
  controller.close();
  expect((await readAhead(stream)).start(createSink())).toEqual({ bytes: new Uint8Array(), isComplete: true });
});

test('the rest follows as it comes, no faster than it is taken', async () => {
  const { stream, controller } = createStream();
  controller.enqueue(Buffer.from('one'));
  const body = await readAhead(stream);
  const sink = createSink(false);
  expect(body.start(sink)).toEqual({ bytes: Buffer.from('one'), isComplete: false });
  controller.enqueue(Buffer.from('two'));
  controller.enqueue(Buffer.from('three'));
  await vi.waitFor(() => expect(sink.write).toHaveBeenCalledExactlyOnceWith(Buffer.from('two')));
  body.resume();
  await vi.waitFor(() => expect(sink.write).toHaveBeenLastCalledWith(Buffer.from('three')));
  controller.close();
  body.resume();
  await vi.waitFor(() => expect(sink.end).toHaveBeenCalledOnce());
});

test('a failure before the first piece is thrown, a later one breaks the answer', async () => {
  const early = createStream();
  early.controller.error(new Error('early'));
  await expect(readAhead(early.stream)).rejects.toThrow('early');
  const late = createStream();
  late.controller.enqueue(Buffer.from('one'));
  const body = await readAhead(late.stream);
  const sink = createSink();
  body.start(sink);
  late.controller.error(new Error('late'));
  await vi.waitFor(() => expect(sink.destroy).toHaveBeenCalledOnce());
  expect(sink.end).not.toHaveBeenCalled();
});

test('its source is told when nobody wants it any more', async () => {
  const { stream, controller, cancel } = createStream();
  controller.enqueue(Buffer.from('one'));
  const body = await readAhead(stream);
  body.start(createSink());
  body.cancel();
  expect(cancel).toHaveBeenCalledOnce();
});

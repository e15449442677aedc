import { describe, expect, it, vi } from 'vitest';

import { holdDigest } from '../errors/kept-digests.ts';
import type { Body, Sink } from '#src/server/http/body.ts';
import { gateDigests, gateStream } from './digest-gate.ts';

const digest = '3F7K2M9QRT';
const other = '0000000001';

/** A body that a test writes by hand. */
function openSource(first: string, isComplete = false) {
  let sink: Sink | undefined;
  const resume = vi.fn();
  const cancel = vi.fn();
  const body: Body = {
    start(next) {
      sink = next;
      return { bytes: Buffer.from(first), isComplete };
    },
    resume,
    cancel,
  };
  return {
    body,
    resume,
    cancel,
    write: (text: string) => sink?.write(Buffer.from(text)),
    end: (text = '') => sink?.end(Buffer.from(text)),
    destroy: (error: Error) => sink?.destroy(error),
  };
}

/** What reaches the socket, in order; `room` says whether it wants more. */
function openSink(room = true) {
  const out: string[] = [];
  const sink: Sink = {
    write(bytes) {
      out.push(Buffer.from(bytes).toString());
      return room;
    },
    end: (bytes) => void out.push(`${Buffer.from(bytes).toString()}$`),
    destroy: (error) => void out.push(`!${String(error)}`),
  };
  return { out, sink };
}

function hold(held: string = digest): () => Promise<void> {
  const kept = Promise.withResolvers<void>();
  holdDigest(held, kept.promise);
  return async function keep() {
    kept.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
}

describe('gateDigests', () => {
  it('lets everything of a request without errors through as it comes', () => {
    const source = openSource('a');
    const { out, sink } = openSink();
    const body = gateDigests(source.body, []);
    expect(body.settle?.()).toBeUndefined();
    expect(body.start(sink)).toEqual({ bytes: Buffer.from('a'), isComplete: false });
    expect(source.write('b')).toBe(true);
    source.end('c');
    expect(out).toEqual(['b', 'c$']);
  });

  it('holds the chunk with the digest, and what comes after, and nothing before it', async () => {
    const digests: string[] = [];
    const source = openSource('shell');
    const { out, sink } = openSink();
    const body = gateDigests(source.body, digests);
    body.start(sink);
    digests.push(digest);
    const keep = hold();
    expect(source.write('no digest ')).toBe(true);
    expect(source.write(`row ${digest}`)).toBe(false);
    expect(source.write('a later row')).toBe(false);
    expect(source.write('and another')).toBe(false);
    source.end('last');
    expect(out).toEqual(['no digest ']);
    await keep();
    expect(out).toEqual(['no digest ', `row ${digest}`, 'a later row', 'and another', 'last', '$']);
  });

  it.each([
    ['as people read it', ['<code>3F7K2-M9QRT</code>']],
    ['cut in two', ['the code 3F7', 'K2M9QRT follows']],
    ['cut in three', ['3F7', 'K2M', '9QRT']],
    ['cut, as people read it', ['3F7K2-M9QR', 'T']],
  ])('finds a digest %s', async (_, chunks) => {
    const source = openSource('');
    const { out, sink } = openSink();
    gateDigests(source.body, [digest]).start(sink);
    const keep = hold();
    for (const chunk of chunks) source.write(chunk);
    expect(out.join('')).not.toContain(chunks.at(-1));
    await keep();
    expect(out.join('')).toBe(chunks.join(''));
  });

  it.each([0, 1, 2, 3, 4, 5])('finds a digest in base64, %i bytes in', async (before) => {
    const source = openSource('');
    const { out, sink } = openSink();
    gateDigests(source.body, [digest]).start(sink);
    const keep = hold();
    const row = Buffer.concat([Buffer.alloc(before, 0xff), Buffer.from(`"${digest}"`), Buffer.from([0xff, 0])]);
    source.write(`atob("${Buffer.from('other bytes').toString('base64')}")`);
    source.write(`atob("${row.toString('base64')}")`);
    expect(out).toHaveLength(1);
    await keep();
    expect(out).toHaveLength(2);
  });

  it('waits for each digest, one after the other', async () => {
    const source = openSource('');
    const { out, sink } = openSink();
    gateDigests(source.body, [digest, other]).start(sink);
    const keepFirst = hold();
    const keepOther = hold(other);
    source.write(digest);
    source.write(`and ${other}`);
    await keepOther();
    expect(out).toEqual([]);
    await keepFirst();
    expect(out).toEqual([digest, `and ${other}`]);
    source.write(digest);
    expect(out.at(-1)).toBe(digest);
  });

  it('has a whole answer ready in one piece when it was settled', async () => {
    const source = openSource(`error ${digest}`, true);
    const keep = hold();
    const body = gateDigests(source.body, [digest]);
    let isSettled = false;
    const settled = body.settle?.()?.then(() => (isSettled = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    await keep();
    await settled;
    const { out, sink } = openSink();
    expect(body.start(sink)).toEqual({ bytes: Buffer.from(`error ${digest}`), isComplete: true });
    expect(out).toEqual([]);
  });

  it('gives what came while it settled, and lets the rest flow', async () => {
    const source = openSource('shell ');
    const body = gateDigests(source.body, [digest]);
    expect(body.settle?.()).toBeUndefined();
    source.write('more');
    const { out, sink } = openSink();
    expect(body.start(sink)).toEqual({ bytes: Buffer.from('shell more'), isComplete: false });
    await new Promise((resolve) => setImmediate(resolve));
    expect(source.resume).toHaveBeenCalledOnce();
    source.end('end');
    expect(out).toEqual(['end$']);
  });

  it('sends the headers and holds the bytes when nobody settled it', async () => {
    const source = openSource(digest, true);
    const keep = hold();
    const { out, sink } = openSink();
    expect(gateDigests(source.body, [digest]).start(sink)).toEqual({ bytes: new Uint8Array(), isComplete: false });
    await keep();
    expect(out).toEqual([digest, '$']);
  });

  it('lets the maker rest while it holds, and wakes it once, when the socket has room', async () => {
    const source = openSource('');
    const { sink } = openSink();
    const body = gateDigests(source.body, [digest]);
    body.start(sink);
    const keep = hold();
    source.write(digest);
    body.resume();
    expect(source.resume).not.toHaveBeenCalled();
    await keep();
    expect(source.resume).toHaveBeenCalledOnce();
  });

  it('leaves waking the maker to a socket that is full', async () => {
    const source = openSource('');
    const { sink } = openSink(false);
    const body = gateDigests(source.body, [digest]);
    body.start(sink);
    const keep = hold();
    source.write(digest);
    await keep();
    expect(source.resume).not.toHaveBeenCalled();
    body.resume();
    expect(source.resume).toHaveBeenCalledOnce();
  });

  it('breaks only after what was held is out', async () => {
    const source = openSource('');
    const { out, sink } = openSink();
    gateDigests(source.body, [digest]).start(sink);
    const keep = hold();
    source.write(digest);
    source.destroy(new Error('broken'));
    expect(out).toEqual([]);
    await keep();
    expect(out).toEqual([digest, '!Error: broken']);
  });

  it('tells of a failure that came while it settled', async () => {
    const source = openSource('');
    const body = gateDigests(source.body, [digest]);
    body.settle?.();
    source.destroy(new Error('broken'));
    const { out, sink } = openSink();
    body.start(sink);
    await new Promise((resolve) => setImmediate(resolve));
    expect(out).toEqual(['!Error: broken']);
  });

  it('says when the first bytes leave: at once, with the first chunk, or after what was waited for', async () => {
    const onFirstBytes = vi.fn();
    gateDigests(openSource('a').body, [], { onFirstBytes }).start(openSink().sink);
    expect(onFirstBytes).toHaveBeenCalledTimes(1);

    const late = openSource('');
    gateDigests(late.body, [], { onFirstBytes }).start(openSink().sink);
    expect(onFirstBytes).toHaveBeenCalledTimes(1);
    late.write('b');
    late.end('c');
    expect(onFirstBytes).toHaveBeenCalledTimes(2);

    const keep = hold();
    gateDigests(openSource(digest, true).body, [digest], { onFirstBytes }).start(openSink().sink);
    expect(onFirstBytes).toHaveBeenCalledTimes(2);
    await keep();
    expect(onFirstBytes).toHaveBeenCalledTimes(3);
  });

  it('hands on how much was sent', () => {
    const onSent = vi.fn();
    gateDigests(openSource('a').body, [], { onSent }).sent?.(5, 3);
    expect(onSent).toHaveBeenCalledExactlyOnceWith(5, 3);
  });

  it('stops what is behind it when nobody wants it, and sends nothing of what it held', async () => {
    const source = openSource('');
    const { out, sink } = openSink();
    const body = gateDigests(source.body, [digest]);
    body.start(sink);
    const keep = hold();
    source.write(digest);
    source.end('last');
    body.cancel();
    expect(source.cancel).toHaveBeenCalledOnce();
    await keep();
    source.write('more');
    expect(out).toEqual([]);
  });
});

it('gateStream holds a chunk with a digest', async () => {
  const keep = hold();
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of ['a', digest]) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });
  const reader = gateStream(source, [digest]).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('a');
  let isOut = false;
  const next = reader.read().then((read) => {
    isOut = true;
    return read;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOut).toBe(false);
  await keep();
  expect(Buffer.from((await next).value ?? []).toString()).toBe(digest);
});

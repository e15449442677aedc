import { AsyncLocalStorage } from 'node:async_hooks';

import { describe, expect, it, vi } from 'vitest';

import { createFlightSource } from './flight-source.ssr.ts';

describe('createFlightSource', () => {
  it('gives what came before on the spot, undivided and in order, and then the end', () => {
    const source = createFlightSource(0);
    const text = 'x'.repeat(6000);
    source.add([Uint8Array.of(1)]);
    source.add([text]);
    source.finish({ status: 'ended' });
    const events: unknown[] = [];
    source.stream.on('data', (chunk) => events.push(chunk));
    source.stream.on('error', () => events.push('error'));
    source.stream.on('end', () => events.push('end'));
    expect(events).toEqual([Uint8Array.of(1), text, 'end']);
  });

  it('gives late rows in the asynchronous context of the render that reads', () => {
    const storage = new AsyncLocalStorage<string>();
    const source = createFlightSource(0);
    const seen: unknown[] = [];
    storage.run('the page', () => source.stream.on('data', () => seen.push(storage.getStore())));
    storage.run('another stream', () => source.add(['late row']));
    expect(seen).toEqual(['the page']);
  });

  it('keeps no context when all rows are there', () => {
    const snapshot = vi.spyOn(AsyncLocalStorage, 'snapshot');
    const source = createFlightSource(0);
    source.finish({ status: 'ended' });
    source.stream.on('data', () => undefined);
    expect(snapshot).not.toHaveBeenCalled();
    snapshot.mockRestore();
  });

  it('holds the end back in dev, where debug rows take another way', () => {
    vi.useFakeTimers();
    const source = createFlightSource(5000);
    const onEnd = vi.fn();
    source.stream.on('data', () => undefined);
    source.stream.on('end', onEnd);
    source.finish({ status: 'ended' });
    vi.advanceTimersByTime(4999);
    expect(onEnd).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onEnd).toHaveBeenCalledOnce();
    vi.useRealTimers();
  });

  it('passes a failure on, before and after it is read', () => {
    const error = new Error('broken');
    const late = createFlightSource(0);
    const onLate = vi.fn();
    late.stream.on('data', () => undefined);
    late.stream.on('error', onLate);
    late.finish({ status: 'failed', error });
    expect(onLate).toHaveBeenCalledExactlyOnceWith(error);

    const early = createFlightSource(0);
    const onEarly = vi.fn();
    early.finish({ status: 'failed', error });
    early.stream.on('data', () => undefined);
    early.stream.on('error', onEarly);
    early.stream.on('end', () => undefined);
    expect(onEarly).toHaveBeenCalledWith(error);
  });
});

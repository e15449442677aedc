import { AsyncLocalStorage } from 'node:async_hooks';

import { describe, expect, it, vi } from 'vitest';

import { createFlightSource } from './flight-source.ssr.ts';

describe('createFlightSource', () => {
  it('gives what came before on the spot, undivided and in order, and then the end', () => {
    const source = createFlightSource();
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
    const source = createFlightSource();
    const seen: unknown[] = [];
    storage.run('the page', () => source.stream.on('data', () => seen.push(storage.getStore())));
    storage.run('another stream', () => source.add(['late row']));
    expect(seen).toEqual(['the page']);
  });

  it('keeps no context when all rows are there', () => {
    const snapshot = vi.spyOn(AsyncLocalStorage, 'snapshot');
    const source = createFlightSource();
    source.finish({ status: 'ended' });
    source.stream.on('data', () => undefined);
    expect(snapshot).not.toHaveBeenCalled();
    snapshot.mockRestore();
  });

  it('passes a failure on, before and after it is read', () => {
    const error = new Error('broken');
    const late = createFlightSource();
    const onLate = vi.fn();
    late.stream.on('data', () => undefined);
    late.stream.on('error', onLate);
    late.finish({ status: 'failed', error });
    expect(onLate).toHaveBeenCalledExactlyOnceWith(error);

    const early = createFlightSource();
    const onEarly = vi.fn();
    early.finish({ status: 'failed', error });
    early.stream.on('data', () => undefined);
    early.stream.on('error', onEarly);
    early.stream.on('end', () => undefined);
    expect(onEarly).toHaveBeenCalledWith(error);
  });
});

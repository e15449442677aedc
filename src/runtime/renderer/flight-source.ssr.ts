import { AsyncLocalStorage } from 'node:async_hooks';

import type { FlightChunk, FlightState } from './flight.ts';

/** The part of a Node stream that React's Flight client reads: `data` with a chunk, `error` with it, `end`. */
type FlightStream = {
  on(event: string, listener: (value?: unknown) => void): void;
};

export type FlightSource = {
  readonly stream: FlightStream;
  add(chunks: readonly FlightChunk[]): void;
  /** Ended or failed; after the last `add`. */
  finish(state: FlightState): void;
};

type Reader = {
  readonly data: (chunk: FlightChunk) => void;
  readonly inRender: (work: () => void) => void;
};

/**
 * In dev, React sends debug rows beside the payload, to the browser alone. A payload that ends while some are missing is
 * "Connection closed." to the client, so Waku holds the end back, by this long, and so must we.
 */
const heldOpenMs = import.meta.env.DEV ? 5_000 : 0;

/**
 * Rows for React's Flight client, which decodes them while the HTML is rendered. Rows that are there when the render
 * asks are decoded on the spot. Rows also name client modules to preload, and React finds the page these belong to by
 * the render's asynchronous context; so that is kept for late rows, and only for those, since it holds the whole
 * render in memory.
 */
export function createFlightSource(holdMs: number = heldOpenMs): FlightSource {
  let waiting: FlightChunk[] = [];
  let state: FlightState = { status: 'open' };
  let reader: Reader | undefined;
  let onEnd: (() => void) | undefined;
  let onError: ((error: unknown) => void) | undefined;

  function settle(): void {
    switch (state.status) {
      case 'open':
        return;
      case 'ended':
        return onEnd?.();
      case 'failed':
        return onError?.(state.error);
    }
  }

  function read(listener: (chunk: FlightChunk) => void): void {
    const inRender = state.status === 'open' ? AsyncLocalStorage.snapshot() : (work: () => void) => work();
    reader = { data: listener, inRender };
    for (const chunk of waiting) listener(chunk);
    waiting = [];
  }

  function close(final: FlightState): void {
    state = final;
    if (reader) reader.inRender(settle);
  }

  return {
    stream: {
      on(event, listener) {
        if (event === 'data') return read(listener);
        if (event === 'end') onEnd = listener;
        else if (event === 'error') onError = listener;
        settle();
      },
    },
    add(chunks) {
      if (!reader) {
        waiting.push(...chunks);
        return;
      }
      const { data, inRender } = reader;
      inRender(() => {
        for (const chunk of chunks) data(chunk);
      });
    },
    finish(final) {
      if (holdMs > 0 && final.status === 'ended') setTimeout(close, holdMs, final).unref();
      else close(final);
    },
  };
}

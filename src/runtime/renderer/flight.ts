/**
 * One Flight stream between React, which writes it, and whoever sends or decodes it.
 *
 * React's chunks are kept as they are: 4 kB buffers of whole rows, and long text as strings of their own. The Flight
 * client takes such strings only undivided and unjoined, and gets them without a conversion to bytes. There is no
 * stream class in between: a page's rows are usually all there before anyone asks for them, and each hop through a
 * queue or a promise would keep more of the request alive for longer.
 */
export type FlightChunk = string | Uint8Array;

/** The part of a Node stream that React's `pipe` uses. `on` is called for `drain`, `error` and `close`. */
export type ReactDestination = {
  write(chunk: FlightChunk): boolean;
  /** React calls it when what it wrote so far can be read on its own: between rows, between HTML fragments. */
  flush(): void;
  end(): void;
  destroy(error: unknown): void;
  on(event: string, listener: () => void): void;
};

export type FlightState =
  | { readonly status: 'open' }
  | { readonly status: 'ended' }
  | { readonly status: 'failed'; readonly error: unknown };

export type Flight = {
  readonly destination: ReactDestination;
  /** True once the last chunk was written, taken or not. */
  readonly state: () => FlightState;
  /** The chunks since the last call. */
  take(): FlightChunk[];
  /** Called after React's flushes, and at the end. At most one listener. */
  listen(listener: () => void): void;
  /** React stops writing after the row at hand, until `resume`. */
  hold(): void;
  resume(): void;
};

/** @param onWrite sees every chunk as React writes it, and must not throw */
export function createFlight(onWrite?: (chunk: FlightChunk) => void, onFailure?: () => void): Flight {
  let state: FlightState = { status: 'open' };
  let chunks: FlightChunk[] = [];
  let held = false;
  let listener: (() => void) | undefined;
  let drain: (() => void) | undefined;

  function finish(final: FlightState): void {
    if (state.status !== 'open') return;
    state = final;
    listener?.();
  }

  return {
    destination: {
      write(chunk) {
        chunks.push(chunk);
        onWrite?.(chunk);
        return !held;
      },
      flush: () => listener?.(),
      end: () => finish({ status: 'ended' }),
      destroy(error) {
        onFailure?.();
        finish({ status: 'failed', error });
      },
      on(event, handler) {
        if (event === 'drain') drain = handler;
      },
    },
    state: () => state,
    take() {
      const taken = chunks;
      chunks = [];
      return taken;
    },
    listen(next) {
      listener = next;
    },
    hold() {
      held = true;
    },
    resume() {
      if (!held) return;
      held = false;
      drain?.();
    },
  };
}

async function pump(stream: ReadableStream<Uint8Array>, destination: ReactDestination): Promise<void> {
  const reader = stream.getReader();
  let drained: (() => void) | undefined;
  destination.on('drain', () => drained?.());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const hasRoom = destination.write(value);
      destination.flush();
      if (!hasRoom) {
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
      }
    }
    destination.end();
  } catch (error) {
    destination.destroy(error);
  }
}

/** A Flight stream that comes as a web stream: one branch of a `tee`, or React's in dev, with its debug channel. */
export function readFlight(stream: ReadableStream<Uint8Array>): Flight {
  const flight = createFlight();
  void pump(stream, flight.destination);
  return flight;
}

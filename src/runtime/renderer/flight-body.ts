import type { Body, Sink } from '#src/server/http/body.ts';
import type { Flight, FlightChunk } from './flight.ts';

const nothing = new Uint8Array();

function toBytes(chunks: readonly FlightChunk[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && typeof first === 'object') return first;
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
}

export type FlightBodyOptions = {
  readonly cancel: () => void;
  /** Called when the body is complete. */
  readonly release: () => void;
};

/** A navigation's payload: the Flight stream as it is. */
export function createFlightBody(flight: Flight, { cancel, release }: FlightBodyOptions): Body {
  function forward(sink: Sink): void {
    const state = flight.state();
    const chunks = flight.take();
    switch (state.status) {
      case 'open':
        if (chunks.length > 0 && !sink.write(toBytes(chunks))) flight.hold();
        return;
      case 'ended':
        release();
        return sink.end(chunks.length > 0 ? toBytes(chunks) : nothing);
      case 'failed':
        return sink.destroy(state.error);
    }
  }

  return {
    start(sink) {
      const state = flight.state();
      if (state.status === 'failed') {
        sink.destroy(state.error);
        return { bytes: nothing, isComplete: false };
      }
      if (state.status === 'open') flight.listen(() => forward(sink));
      else release();
      return { bytes: toBytes(flight.take()), isComplete: state.status === 'ended' };
    },
    resume: () => flight.resume(),
    cancel,
  };
}

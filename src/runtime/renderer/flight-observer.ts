import 'server-only';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import type { RequestContext } from '#src/server/http/request-context.ts';
import type { FlightChunk } from './flight.ts';

/**
 * Shows an observer outside the runtime every chunk of a response's Flight stream, as it is written. The observer gets React's own chunks
 * and must not change them. It may keep those of up to 4096 bytes: React's Node build allocates its buffers anew after each one it has
 * handed out. A longer one can be a typed array of the page's own, handed through, which the page may write to later: it has to be copied.
 * (Both read in `react-server-dom-webpack-server.node`: `writeChunk` and `emitTypedArrayChunk`.)
 *
 * It is called in the middle of React's flush. What it throws is one log line and the end of that observation; the page
 * goes on.
 */
export type FlightStart = {
  readonly request: RequestContext;
  /** The parts of the page that this response carries, by Waku's names: `root`, `layout:/`, `page:/lab`, `slice:…`. */
  readonly elementIds: readonly string[];
  /** Every part is prerendered or could be. */
  readonly isStatic: boolean;
};

/** `debug` are development's rows that Waku sends beside the payload. */
export type FlightChannel = 'payload' | 'debug';

/** `left`: nobody wanted the rest. `failed`: the stream broke; rows with errors in them are no failure of the stream. */
export type FlightOutcome = 'complete' | 'failed' | 'left';

/** Of a response's body, in bytes: before compression, with the HTML around the rows, and as it was sent. */
export type ResponseSize = {
  readonly response: number;
  /** Undefined where somebody else sends it: development's server, or a middleware that read it. */
  readonly transferred: number | undefined;
};

export type FlightTap = {
  readonly write: (chunk: FlightChunk, channel: FlightChannel) => void;
  /**
   * The last byte of the response was handed on, HTML around the rows included, or it never will be. Called once, unless nobody
   * ever read it.
   * @param size of a complete one, where it was counted
   */
  readonly end: (outcome: FlightOutcome, size?: ResponseSize) => void;
};

/** Asked once for every Flight stream that belongs to a request; undefined when this one does not matter to it. */
export type FlightSink = (start: FlightStart) => FlightTap | undefined;

const sinks = new Set<FlightSink>();

export function addFlightSink(sink: FlightSink): () => void {
  sinks.add(sink);
  return () => sinks.delete(sink);
}

/** `IS_STATIC` among a route's elements, by Waku's name for it. */
const staticId = 'IS_STATIC';
/** Waku's own entries among the elements, which are no parts of the page; others of its own begin with `_`. */
const noElements = new Set(['ROUTE', staticId, 'HAS404', 'IS_ORIGIN']);

function guard(tap: FlightTap): FlightTap {
  let isOver = false;
  function giveUp(error: unknown): void {
    isOver = true;
    writeLog('error', 'flight-not-observed', { reason: describeError(error) });
  }
  return {
    write(chunk, channel) {
      if (isOver) return;
      try {
        tap.write(chunk, channel);
      } catch (error) {
        giveUp(error);
      }
    },
    end(outcome, size) {
      if (isOver) return;
      isOver = true;
      try {
        tap.end(outcome, size);
      } catch (error) {
        giveUp(error);
      }
    },
  };
}

/** What a new Flight stream of `request` has to be written to besides; undefined when nobody observes it. */
export function openTap(request: RequestContext, elements: Readonly<Record<string, unknown>>): FlightTap | undefined {
  if (sinks.size === 0) return undefined;
  const start: FlightStart = {
    request,
    elementIds: Object.keys(elements).filter((id) => !noElements.has(id) && !id.startsWith('_')),
    isStatic: elements[staticId] === true,
  };
  const taps: FlightTap[] = [];
  for (const sink of sinks) {
    const tap = sink(start);
    if (tap) taps.push(tap);
  }
  const [only] = taps;
  if (!only) return undefined;
  if (taps.length === 1) return guard(only);
  return guard({
    write(chunk, channel) {
      for (const tap of taps) tap.write(chunk, channel);
    },
    end(outcome, size) {
      for (const tap of taps) tap.end(outcome, size);
    },
  });
}

/** The same stream, with every chunk told to `tap`, for streams that are React's own: development's. */
export function observeStream(
  stream: ReadableStream<Uint8Array>,
  tap: FlightTap,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        tap.write(chunk, 'payload');
        controller.enqueue(chunk);
      },
      flush: onEnd,
    }),
  );
}

type DebugChannel = { readonly readable?: ReadableStream; readonly writable?: WritableStream<Uint8Array> };

function isDebugChannel(channel: unknown): channel is DebugChannel {
  return typeof channel === 'object' && channel !== null && 'writable' in channel;
}

/** The same debug channel, with every chunk that React writes to it told to `tap`. */
export function observeDebugChannel(channel: unknown, tap: FlightTap): unknown {
  if (!isDebugChannel(channel) || !channel.writable) return channel;
  const writer = channel.writable.getWriter();
  return {
    ...channel,
    writable: new WritableStream<Uint8Array>({
      async write(chunk) {
        tap.write(chunk, 'debug');
        await writer.write(chunk);
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

import type { Body, Sink } from '#src/server/http/body.ts';
import type { Flight, FlightChunk, ReactDestination } from './flight.ts';
import { openScript, toFlightScript } from './flight-script.ts';

/**
 * Joins the two halves of a page into one body: HTML from React's server renderer, and scripts that carry the Flight
 * rows the HTML was made from.
 *
 * A script may only stand where React flushed: anywhere else it could fall inside a tag. Fizz writes and flushes
 * without a pause in between, so any later turn is between two flushes. Both halves are joined on `process.nextTick`,
 * which runs when no promise is left to continue but still before the next event: a page that waits for nothing is one
 * write with a content length, and of all the requests that arrive together only one is in memory unfinished.
 * (With `setImmediate` all of them would be; that cost a quarter of the throughput.)
 *
 * `</body></html>` is held back until both halves are complete, since scripts after it would be outside the document.
 */
const trailer = Buffer.from('</body></html>');

type Half = 'flowing' | 'ended';

export type HtmlWriterOptions = {
  readonly nonce: string | undefined;
  /** Connects React's server renderer; called by `start`. */
  readonly pipe: (destination: ReactDestination) => void;
  /** The stream whose rows are written: it is stopped while the reader is slow. */
  readonly flight: Pick<Flight, 'hold' | 'resume'>;
  readonly cancel: () => void;
  /** Called when the body is complete. */
  readonly release: () => void;
};

export type HtmlWriter = Body & {
  addFlight(chunks: readonly FlightChunk[]): void;
  endFlight(): void;
};

export function createHtmlWriter(options: HtmlWriterOptions): HtmlWriter {
  const openTag = openScript(options.nonce);
  let html: Half = 'flowing';
  let flight: Half = 'flowing';
  let htmlChunks: FlightChunk[] = [];
  let flightChunks: FlightChunk[] = [];
  let isTrailerHeld = false;
  let isScheduled = false;
  let isHeld = false;
  let drain: (() => void) | undefined;
  let sink: Sink | undefined;

  const isComplete = () => html === 'ended' && flight === 'ended';

  /** HTML first, then one script: `start` has the shell before any row is written. */
  function take(): Buffer {
    const script = toFlightScript(flightChunks, openTag);
    let size = trailer.length + Buffer.byteLength(script);
    for (const chunk of htmlChunks) size += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength;
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    if (isTrailerHeld && htmlChunks.length > 0) {
      length += trailer.copy(bytes);
      isTrailerHeld = false;
    }
    for (const chunk of htmlChunks) {
      if (typeof chunk === 'string') length += bytes.write(chunk, length);
      else {
        bytes.set(chunk, length);
        length += chunk.byteLength;
      }
    }
    if (length >= trailer.length && bytes.compare(trailer, 0, trailer.length, length - trailer.length, length) === 0) {
      length -= trailer.length;
      isTrailerHeld = true;
    }
    length += bytes.write(script, length);
    if (isComplete() && isTrailerHeld) length += trailer.copy(bytes, length);
    htmlChunks = [];
    flightChunks = [];
    if (isComplete()) options.release();
    return bytes.subarray(0, length);
  }

  function emit(): void {
    isScheduled = false;
    if (!sink) return;
    const bytes = take();
    if (isComplete()) return sink.end(bytes);
    if (bytes.byteLength > 0 && !sink.write(bytes)) {
      isHeld = true;
      options.flight.hold();
    }
  }

  function schedule(): void {
    if (!sink || isScheduled) return;
    isScheduled = true;
    process.nextTick(emit);
  }

  const destination: ReactDestination = {
    write(chunk) {
      htmlChunks.push(chunk);
      return !isHeld;
    },
    flush: schedule,
    end() {
      html = 'ended';
      schedule();
    },
    destroy: (error) => sink?.destroy(error),
    on(event, listener) {
      if (event === 'drain') drain = listener;
    },
  };

  return {
    addFlight(chunks) {
      flightChunks.push(...chunks);
      schedule();
    },
    endFlight() {
      flight = 'ended';
      schedule();
    },
    start(next) {
      options.pipe(destination);
      sink = next;
      return { bytes: take(), isComplete: isComplete() };
    },
    resume() {
      if (!isHeld) return;
      isHeld = false;
      options.flight.resume();
      drain?.();
    },
    cancel: options.cancel,
  };
}

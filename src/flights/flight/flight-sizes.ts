import type { StoredFlight } from './flight-columns.ts';

/**
 * The three sizes of a flight, never mixed. In words, everywhere: `Flight`, `response`, `transferred`. Undefined where it is not
 * known.
 *
 * Payloads are compared by their Flight, which is the same in a page, in a navigation, and whatever compressed it. `bytes` of a
 * row are the recorder's own count of what its body holds, and no size for people.
 */
export type FlightSizes = {
  /** Of the Flight rows, before compression. */
  readonly flight: number | undefined;
  /** Of the response's body before compression, with the HTML around the rows. */
  readonly response: number | undefined;
  /** Of the response's body as it was sent, compressed or not. */
  readonly transferred: number | undefined;
};

type Sized = Pick<StoredFlight, 'content' | 'source' | 'kind' | 'outcome' | 'bytes'> & {
  readonly sentBytes: number | undefined;
  readonly decodedBytes: number | undefined;
  readonly flightBytes: number | undefined;
};

/** Kinds of which the response is the rows and nothing else. An action may answer with a page. */
const plainKinds = new Set<StoredFlight['kind']>(['navigation', 'prefetch', 'navigation-or-prefetch', 'slice']);

/** What the row of a flight says of its sizes. */
export function readSizes(flight: Sized): FlightSizes {
  const { content, source, kind, outcome, bytes } = flight;
  const isBody = source === 'runtime' && outcome === 'complete' && (content === 'html' || plainKinds.has(kind));
  return {
    flight: content === 'html' ? flight.flightBytes : bytes,
    response: flight.decodedBytes ?? (isBody ? bytes : undefined),
    transferred: flight.sentBytes,
  };
}

import type { StoredFlight } from './flight-columns.ts';

/**
 * The three sizes of a flight, never mixed. In words, everywhere: `Flight`, `response`, `transferred`. Undefined where it is not
 * known.
 */
export type FlightSizes = {
  /** Of the Flight rows, before compression. */
  readonly flight: number | undefined;
  /** Of the response's body before compression, with the HTML around the rows. */
  readonly response: number | undefined;
  /** Of the response's body as it was sent, compressed or not. */
  readonly transferred: number | undefined;
};

type Sized = Pick<StoredFlight, 'content' | 'source' | 'kind' | 'bytes'> & {
  readonly sentBytes: number | undefined;
  readonly decodedBytes: number | undefined;
};

/** What the row of a flight says of its sizes. */
export function readSizes({ content, source, kind, bytes, sentBytes, decodedBytes }: Sized): FlightSizes {
  const isWhole = source === 'runtime' && (content === 'html' || kind !== 'document');
  return {
    flight: content === 'html' ? undefined : bytes,
    response: decodedBytes ?? (isWhole ? bytes : undefined),
    transferred: sentBytes,
  };
}

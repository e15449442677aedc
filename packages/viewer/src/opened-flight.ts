import type { Flight, HtmlFlightSource, ResponseFacts, RowCause } from '#flight';

/** A flight in the browser: its bytes, decoded, and what is known of how they came. */
export type OpenedFlight = {
  readonly flight: Flight;
  readonly bytes: Uint8Array;
  /** Of the response around the rows, as far as it is known: before compression with its HTML, and as it was sent. */
  readonly sizes?: { readonly response: number | undefined; readonly transferred: number | undefined } | undefined;
  /** One per write, in order. Their byte counts add up to bytes.length. Empty when times are unknown. */
  readonly chunks: readonly { readonly ms: number; readonly bytes: number }[];
  /** The title for a person: "GET /lab/streaming (navigation)" or the file's name. */
  readonly title: string;
  /** What handed it over, when it was in a page. */
  readonly pageSource?: HtmlFlightSource | undefined;
  /** Where a link to it leads, when it is not everywhere: in this browser alone, or nowhere. */
  readonly links?: 'this-browser' | 'nowhere' | undefined;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  /** What is known of the response beside its bytes. Findings tell a prerender with holes from a cut connection by it. */
  readonly response?: ResponseFacts | undefined;
  /** As far as the server tells it. */
  readonly requests?: readonly RowCause[] | undefined;
};

/** A place in the flight: a row (its position, not its id), or bytes inside it (absolute offsets). */
export type Place = { readonly row: number; readonly start?: number; readonly end?: number };

/** The props of every panel of the viewer. */
export type PanelProps = {
  readonly opened: OpenedFlight;
  readonly selected: Place | undefined;
  readonly onSelect: (place: Place) => void;
  /** Opens the place in the rows panel, as it was sent. */
  readonly onOpen: (place: Place) => void;
  /**
   * Milliseconds since the start, or bytes for a flight without times (arrival.ts); undefined means the end. Panels show
   * the flight as the client had it at this time.
   */
  readonly time: number | undefined;
  readonly onTime: (ms: number | undefined) => void;
};

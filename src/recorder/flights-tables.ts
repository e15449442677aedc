/**
 * The tables of recorded flights, in a file of their own (open-flights.ts). Times are milliseconds since 1970 where the
 * name ends in `_at`, and milliseconds since the request began where it ends in `_ms`. Columns named `…_json` hold JSON
 * that the recorder alone writes and reads.
 */
export type FlightTable = {
  /** In the order in which flights were completed; never given twice. */
  id: number;
  request_id: string;
  trace_id: string;
  /** One browser tab's sequence; null until the tab has said so. */
  visit: string | null;
  kind: 'document' | 'navigation' | 'prefetch' | 'action' | 'slice';
  method: string;
  /** The page's path, without a query. */
  path: string;
  /** Names of the query's parameters, `&` between them; values are not kept. */
  query: string;
  /** The page's name among its elements; the path where there is none. */
  route: string;
  build: string;
  status: number;
  /** Rendered for this request, rendered although it could have been prerendered, or served from a file. */
  rendering: 'dynamic' | 'static' | 'prerendered';
  /** What the body is: Flight rows, the HTML of a prerendered document, or nothing. */
  content: 'flight' | 'html' | 'none';
  outcome: 'complete' | 'failed' | 'left' | 'none';
  started_at: number;
  first_byte_ms: number | null;
  duration_ms: number;
  /** Bytes that went out, of which `kept_bytes` are in the body. */
  bytes: number;
  kept_bytes: number;
  /** Minted in this request, `,` between them. */
  digests: string;
  /** `[ms, bytes, 0 | 1][]`: 1 is a chunk of development's debug rows. */
  chunks_json: string;
  /** The parts of the page that this response carried, and those that its sender had and so were left out. */
  elements_json: string;
  elided_json: string;
  action_id: string | null;
  body_id: number | null;
  /** Of a prefetch: a navigation showed it; its document was closed. */
  used_at: number | null;
  closed_at: number | null;
  /** Above 1 only for counted hits of a prerendered file, of which this row's other columns are the first. */
  hits: number;
  /** Of counted hits alone: when the last of them began. Such a row has no trace and no visit. */
  last_at: number | null;
};

/** Content, once however many flights carried it. */
export type BodyTable = {
  id: number;
  hash: Uint8Array;
  bytes: number;
  encoding: 'deflate' | 'identity';
  data: Uint8Array;
};

/** What belongs to one flight alone: an action's arguments, development's debug rows. */
export type AttachmentTable = {
  flight_id: number;
  role: 'arguments' | 'debug';
  /** The media type of arguments. */
  type: string;
  /** As they came, of which the data may be the beginning. */
  bytes: number;
  kept_bytes: number;
  encoding: 'deflate' | 'identity';
  data: Uint8Array;
};

type FlightDigestTable = { digest: string; flight_id: number };

export type FlightTables = {
  flight: FlightTable;
  body: BodyTable;
  attachment: AttachmentTable;
  flight_digest: FlightDigestTable;
};

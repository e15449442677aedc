import type { DropReason } from './drops.ts';
import type { StoredFlight } from './flight-columns.ts';

/** The tables of recorded flights, in a file of their own (writer/open-flights.ts). */

/** Content, once however many flights carried it. */
export type StoredBody = {
  id: number;
  hash: Uint8Array;
  bytes: number;
  encoding: 'deflate' | 'identity';
  data: Uint8Array;
};

/** What belongs to one flight alone: an action's arguments, development's debug rows. */
export type StoredAttachment = {
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

/** What was not kept of another app by the process that saw it, since the recording was emptied. */
type StoredLoss = { app: string; reason: DropReason; count: number; last_time: number };

export type FlightTables = {
  loss: StoredLoss;
  flight: StoredFlight;
  body: StoredBody;
  attachment: StoredAttachment;
  flight_digest: { digest: string; flight_id: number };
};

import type { DropReason } from './drops.ts';
import type { StoredLeak } from './leak.ts';
import type { StoredStorm } from './storm.ts';
import type { StoredTry } from './forged-try.ts';
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

/** `inside`: the package that brings it along, else empty. */
type StoredPackage = { app: string; name: string; inside: string; version: string; seen_at: number };

/** What the process in front of an app keeps of it where the app has no setting: as `RECORD` is written. */
type StoredKept = { app: string; record: string; told_at: number };

/** `ModuleFiles` of a build. */
type StoredModules = { app: string; build: string; files_json: string; seen_at: number };

/** Spans of one trace that came together (../traces/pack-spans.ts). */
type StoredSpans = {
  app: string;
  trace_id: string;
  first: string;
  encoding: 'deflate' | 'identity';
  data: Uint8Array;
  received_at: number;
};

export type FlightTables = {
  loss: StoredLoss;
  forged: StoredTry;
  leak: StoredLeak;
  storm: StoredStorm;
  /** What an app runs, as it told at its last start. */
  installed: StoredPackage;
  build_modules: StoredModules;
  span: StoredSpans;
  flight: StoredFlight;
  body: StoredBody;
  attachment: StoredAttachment;
  /** `app` and `started_at` are the flight's. */
  flight_digest: { digest: string; flight_id: number; app: string; started_at: number };
  kept: StoredKept;
};

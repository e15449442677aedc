import type { RecorderAddress } from '#report/recorder-url.ts';
import type { InstalledPackage } from '#src/apps/advisories/read-installed.ts';
import type { Signal } from '#src/flights/telemetry/counts.ts';
import type { TelemetryOptions } from '#src/flights/telemetry/start-telemetry.ts';
import type { ExportedError } from '#src/flights/telemetry/exported.ts';
import type { TracePart } from '#src/flights/traces/pack-spans.ts';

import type { Loss } from '../flight/drops.ts';
import type { ModuleFiles } from '../flight/module-files.ts';
import type { FlightWriter, UsageNote, WriterState } from './flight-writer.ts';
import type { ShippingNote } from './ship-flights.ts';
import type { WrittenCount } from './written.ts';

/** What passes between the thread that serves pages and the one that writes. */
export type WriterData = {
  readonly folder: string;
  readonly bytesLimit: number;
  readonly ageMs: number;
  /** Two floats, in milliseconds since 1970: the age clock's time, and until when it does not believe the system's (0: it does). */
  readonly age: SharedArrayBuffer;
  /** PostgreSQL's address, where flights go to PostgreSQL instead of a file in the folder. */
  readonly database?: string;
  /** Where flights go after they were written: the file is then only a spool. */
  readonly shipTo?: RecorderAddress;
  /** Where flights and errors are told to others. */
  readonly telemetry?: Pick<TelemetryOptions, 'settings' | 'counts'> | undefined;
};

/**
 * Numbers for each entry of a batch: its shape, the slab, where the entry begins in it, and the lengths of its pieces, which
 * follow each other: how many numbers (of 8 bytes, where the entry begins), text, payload, debug rows, arguments. All in one
 * array, because each array would be cloned by itself.
 */
export const numbersPerEntry = 8;
/**
 * The same for each response of another app: the slab, where it begins in it, and the lengths of its pieces: how many numbers (the
 * chunks' times and sizes), text (what is known of it, as JSON), body, arguments.
 */
export const numbersPerExchange = 6;
/** For each shape: the slab, and where its JSON begins and how long it is. */
export const numbersPerShape = 3;

export type WriterRequest =
  | {
      readonly type: 'write';
      readonly slabs: readonly SharedArrayBuffer[];
      readonly shapes: Uint32Array;
      readonly entries: Uint32Array;
      readonly exchanges: Uint32Array;
    }
  | { readonly type: 'note'; readonly notes: readonly UsageNote[] }
  | { readonly type: 'losses'; readonly losses: readonly Loss[] }
  /** What an app runs: in place of what it told before. */
  | { readonly type: 'installed'; readonly app: string; readonly packages: readonly InstalledPackage[] }
  /** What the process in front of an app keeps where the app has no setting: as `RECORD` is written. */
  | { readonly type: 'kept'; readonly app: string; readonly record: string }
  /** The files of a build's client modules, by their ids. */
  | { readonly type: 'modules'; readonly app: string; readonly build: string; readonly files: ModuleFiles }
  /** What an app's server did for its requests. */
  | { readonly type: 'spans'; readonly app: string; readonly parts: readonly TracePart[] }
  | { readonly type: 'delete'; readonly id: number }
  | { readonly type: 'delete-all' }
  /** One slice of an app's flights, of those up to this id: to be asked again until none is left. */
  | { readonly type: 'delete-app'; readonly app: string; readonly upTo: number }
  /** What was deleted is in no file afterwards. */
  | { readonly type: 'empty-log' }
  /** Reading has met damage in the file of this inode; it may have been moved aside meanwhile. */
  | { readonly type: 'replace'; readonly inode: number }
  /** Errors that were stored elsewhere, for telemetry. */
  | { readonly type: 'tell-errors'; readonly errors: readonly ExportedError[] }
  | { readonly type: 'close' };

/** Flights, or responses of other apps, that cannot be described or written, whatever the database does. */
export type Unreadable = { readonly count: number; /** Of the first. */ readonly reason: string };

/** Every request is answered once, in order; after that the slabs of a `write` are the sender's again. */
export type WriterAnswer =
  | {
      readonly type: 'done';
      readonly state: WriterState;
      readonly written: readonly WrittenCount[];
      /** Of a `write`: what failed by itself, while the others were written. */
      readonly unreadable: Unreadable;
    }
  /** `kept`: of a `write`, how many were written nevertheless. The others count as lost for `lossReason`. */
  | {
      readonly type: 'failed';
      readonly reason: string;
      readonly kept: number;
      readonly written: readonly WrittenCount[];
      readonly lossReason: FlightWriter['lossReason'];
      readonly unreadable: Unreadable;
    };

export type WriterMessage =
  | { readonly type: 'opened'; readonly state: WriterState }
  /** So many flights are too old by the system's clock alone. From `until` on it is believed. */
  | { readonly type: 'waits'; readonly flights: number; readonly until: number }
  /** PostgreSQL does not answer: flights wait in memory. Or it does again. */
  | { readonly type: 'database'; readonly isGone: boolean; readonly reason: string }
  | { readonly type: 'moved-aside'; readonly reason: string }
  | { readonly type: 'shipping'; readonly note: ShippingNote }
  | { readonly type: 'telemetry-failed'; readonly signal: Signal; readonly reason: string }
  | { readonly type: 'answer'; readonly answer: WriterAnswer };

import type { RecorderAddress } from '#src/apps/recorder-url.ts';

import type { Loss } from '../drops.ts';
import type { UsageNote, WriterState } from './flight-writer.ts';
import type { ShippingNote } from './ship-flights.ts';

/** What passes between the thread that serves pages and the one that writes. */
export type WriterData = {
  readonly folder: string;
  readonly bytesLimit: number;
  readonly ageMs: number;
  /** Two floats, in milliseconds since 1970: the age clock's time, and until when it does not believe the system's (0: it does). */
  readonly age: SharedArrayBuffer;
  /** Where flights go after they were written: the file is then only a spool. */
  readonly shipTo?: RecorderAddress;
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
  | { readonly type: 'delete'; readonly id: number }
  | { readonly type: 'delete-all' }
  /** One slice of an app's flights, of those up to this id: to be asked again until none is left. */
  | { readonly type: 'delete-app'; readonly app: string; readonly upTo: number }
  /** What was deleted is in no file afterwards. */
  | { readonly type: 'empty-log' }
  /** Reading has met damage in the file of this inode; it may have been moved aside meanwhile. */
  | { readonly type: 'replace'; readonly inode: number }
  | { readonly type: 'close' };

/** Every request is answered once, in order; after that the slabs of a `write` are the sender's again. */
export type WriterAnswer =
  | { readonly type: 'done'; readonly state: WriterState }
  /** `kept`: of a `write`, how many were written nevertheless. */
  | { readonly type: 'failed'; readonly reason: string; readonly kept: number };

export type WriterMessage =
  | { readonly type: 'opened'; readonly state: WriterState }
  /** So many flights are too old by the system's clock alone. From `until` on it is believed. */
  | { readonly type: 'waits'; readonly flights: number; readonly until: number }
  | { readonly type: 'moved-aside'; readonly reason: string }
  | { readonly type: 'shipping'; readonly note: ShippingNote }
  | { readonly type: 'answer'; readonly answer: WriterAnswer };

import type { UsageNote, WriterState } from './flight-writer.ts';

/** What passes between the thread that serves pages and the one that writes. */
export type WriterData = { readonly folder: string; readonly bytesLimit: number; readonly ageMs: number };

/** Where an entry is: the slab, where it begins in it, and the lengths of its pieces, which follow each other. */
export type EntryPlace = readonly [
  slab: number,
  offset: number,
  head: number,
  payload: number,
  debug: number,
  args: number,
];

export type WriterRequest =
  | { readonly type: 'write'; readonly slabs: readonly ArrayBuffer[]; readonly entries: readonly EntryPlace[] }
  | { readonly type: 'note'; readonly notes: readonly UsageNote[] }
  | { readonly type: 'delete'; readonly id: number }
  | { readonly type: 'delete-all' }
  /** Reading has met damage. */
  | { readonly type: 'replace' }
  | { readonly type: 'close' };

/** Every request is answered once, in order. `write` gives its slabs back. */
export type WriterAnswer =
  | { readonly type: 'done'; readonly state: WriterState; readonly slabs: readonly ArrayBuffer[] }
  | { readonly type: 'failed'; readonly reason: string; readonly slabs: readonly ArrayBuffer[] };

export type WriterMessage =
  | { readonly type: 'opened'; readonly state: WriterState }
  | { readonly type: 'moved-aside'; readonly reason: string }
  | { readonly type: 'answer'; readonly answer: WriterAnswer };

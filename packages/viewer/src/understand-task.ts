import {
  analyzeParts,
  type ByteSums,
  type ChunkTime,
  type Duplicates,
  type Finding,
  type Flight,
  type Halt,
  type Hole,
  type ModuleUse,
  type PersonalData,
  type ResponseFacts,
} from '#flight';

import { readByteViews, type ByteViews } from './bytes/byte-views.ts';

/** The input of the counting. All of it can be sent to a worker. */
export type UnderstandTask = {
  readonly flight: Flight;
  readonly chunks: readonly ChunkTime[];
  readonly response?: ResponseFacts | undefined;
};

/**
 * What the panels show. It is small whatever the payload's size, because lists are cut where they are made; except for
 * `sums`, with which the map of the bytes is opened further: four bytes for each word of the tape.
 */
export type Understood = {
  readonly total: number;
  readonly sums: ByteSums;
  readonly views: ByteViews;
  readonly duplicates: Duplicates;
  readonly modules: readonly ModuleUse[];
  readonly holes: readonly Hole[];
  readonly findings: readonly Finding[];
  /** `waiting`: the page has not looked yet. `failed`: what looks could not be loaded. */
  readonly personal: PersonalData | 'waiting' | 'failed';
  readonly halt: Halt | undefined;
};

/** All but what its texts say: look-at-texts.ts adds it. */
export function performUnderstandTask({ flight, chunks, response }: UnderstandTask): Understood {
  const { attribution, ...lists } = analyzeParts(flight, { chunks, facts: response });
  const { total, rest, rowTotals, firstUse, totals } = attribution;
  const sums = { total, rest, rowTotals, firstUse, totals };
  return { total, sums, views: readByteViews(flight, attribution), personal: 'waiting', ...lists };
}

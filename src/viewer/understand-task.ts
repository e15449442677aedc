import {
  analyzeFlight,
  type ByteSums,
  type ChunkTime,
  type Duplicates,
  type Finding,
  type Flight,
  type Halt,
  type Hole,
  type ModuleUse,
  type ResponseFacts,
} from '#flight';

import { readByteViews, type ByteViews } from './bytes/byte-views.ts';

/** The input of the counting. All of it can be sent to a worker. */
export type UnderstandTask = {
  readonly flight: Flight;
  readonly chunks: readonly ChunkTime[];
  readonly sources: ReadonlyMap<string, string>;
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
  readonly halt: Halt | undefined;
};

export function performUnderstandTask({ flight, chunks, sources, response }: UnderstandTask): Understood {
  const { attribution, ...lists } = analyzeFlight(flight, { chunks, sources, facts: response });
  const { total, rest, rowTotals, firstUse, totals } = attribution;
  const sums = { total, rest, rowTotals, firstUse, totals };
  return { total, sums, views: readByteViews(flight, attribution), ...lists };
}

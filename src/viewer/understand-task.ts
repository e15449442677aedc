import {
  analyzeFlight,
  type ChunkTime,
  type Duplicates,
  type Finding,
  type Flight,
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

/** What the panels show. It is small whatever the payload's size: lists are cut where they are made. */
export type Understood = {
  readonly total: number;
  /** The whole payload after compression, estimated. */
  readonly compressed: number;
  readonly views: ByteViews;
  readonly duplicates: Duplicates;
  readonly modules: readonly ModuleUse[];
  readonly holes: readonly Hole[];
  readonly findings: readonly Finding[];
};

export function performUnderstandTask({ flight, chunks, sources, response }: UnderstandTask): Understood {
  const { attribution, ...lists } = analyzeFlight(flight, { chunks, sources, facts: response });
  const { total, compressed } = attribution;
  return { total, compressed, views: readByteViews(flight, attribution), ...lists };
}

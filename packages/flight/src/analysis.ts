import { attributeBytes, type Attribution } from './attribution.ts';
import type { ChunkTime } from './chunk-times.ts';
import { findDuplicates, type Duplicates } from './duplicates.ts';
import type { Finding } from './finding.ts';
import { listFindings } from './findings.ts';
import type { Flight } from './flight.ts';
import { findHoles, type Hole } from './holes.ts';
import { readModuleUses, type ModuleUse } from './module-use.ts';

/** All that is counted of a flight. Sizes are bytes of the payload as decoded, before compression; times milliseconds. */
export type FlightAnalysis = {
  /** Where the bytes go: by kind, element, prop and row. */
  attribution: Attribution;
  /** What is sent more than once. */
  duplicates: Duplicates;
  /** The client modules, and how often each is used. */
  modules: readonly ModuleUse[];
  /** What the page waited for, the longest wait first. */
  holes: readonly Hole[];
  /** What a person can act on: problems first, then waits, then costs. */
  findings: readonly Finding[];
};

export type AnalysisOptions = {
  /** When the response was written. Without them no hole has a time, and no finding is a wait. */
  chunks?: readonly ChunkTime[];
  /** The source file of each hashed module id, where a manifest knows it. */
  sources?: ReadonlyMap<string, string>;
};

/**
 * Counts a flight: each part once, the parts that build on others from those. Works on any state, a malformed one too, as
 * far as it could be read; never throws. Time is linear in the payload (about a second for 5 MB).
 */
export function analyzeFlight(flight: Flight, { chunks = [], sources }: AnalysisOptions = {}): FlightAnalysis {
  // First what needs the most memory and keeps little of it.
  const duplicates = findDuplicates(flight);
  const attribution = attributeBytes(flight);
  const modules = readModuleUses(flight, attribution, sources);
  const holes = findHoles(flight, chunks);
  const findings = listFindings(flight, { attribution, duplicates, modules, holes });
  return { attribution, duplicates, modules, holes, findings };
}

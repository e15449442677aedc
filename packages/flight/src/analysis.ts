import { attributeBytes, type Attribution } from './attribution.ts';
import type { ChunkTime } from './chunk-times.ts';
import { estimateCompression } from './compression.ts';
import { describeApp } from './describe-app.ts';
import { findDuplicates, type Duplicates } from './duplicates.ts';
import type { Finding, ResponseFacts } from './finding.ts';
import { readHalt, type Halt } from './state-findings.ts';
import { listFindings } from './findings.ts';
import type { Flight } from './flight.ts';
import { findHoles, type Hole } from './holes.ts';
import { readModuleUses, type ModuleUse } from './module-use.ts';

/** All that is counted of a flight. Sizes are bytes of the payload as decoded, before compression; times milliseconds. */
export type FlightAnalysis = {
  /** Where the bytes go: by kind, element, prop and row; and what they cost after compression. */
  attribution: Attribution;
  /** What is sent more than once. */
  duplicates: Duplicates;
  /** The client modules, and how often each is used. */
  modules: readonly ModuleUse[];
  /** What the page waited for, the longest wait first. */
  holes: readonly Hole[];
  /** What a person can act on: problems first, then waits, then costs, then notes. */
  findings: readonly Finding[];
  /** Why promised rows never came; undefined where they did, or where it ended in another way. */
  halt: Halt | undefined;
};

export type AnalysisOptions = {
  /** When the response was written. Without them no hole has a time, and no finding is a wait. */
  chunks?: readonly ChunkTime[] | undefined;
  /** The source file of each hashed module id, where a manifest knows it. */
  sources?: ReadonlyMap<string, string> | undefined;
  /** What is known of the response beside its bytes: it tells a payload with holes by design from one that was cut. */
  facts?: ResponseFacts | undefined;
};

/**
 * Counts a flight: each part once, the parts that build on others from those. Works on any state, a malformed one too, as
 * far as it could be read; never throws. Time is linear in the payload (about a second for 5 MB).
 */
export function analyzeFlight(
  flight: Flight,
  { chunks = [], sources, facts = {} }: AnalysisOptions = {},
): FlightAnalysis {
  const app = describeApp(flight);
  const compression = estimateCompression(flight.bytes);
  // First what needs the most memory and keeps little of it.
  const duplicates = findDuplicates(flight, { compression });
  const attribution = attributeBytes(flight, compression);
  const modules = readModuleUses(flight, attribution, compression, { sources, framework: app.framework?.guess });
  const holes = findHoles(flight, chunks);
  const findings = listFindings(flight, { attribution, compression, duplicates, modules, holes, app, facts });
  return { attribution, duplicates, modules, holes, findings, halt: readHalt(flight, { app, facts }) };
}

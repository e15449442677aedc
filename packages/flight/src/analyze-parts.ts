import { attributeBytes, type Attribution } from './attribution.ts';
import type { ChunkTime } from './chunk-times.ts';
import { countUncompressed, estimateCompression, scaleCompression, type Compression } from './compression.ts';
import { describeApp } from './describe-app.ts';
import { findDuplicates, scaleDuplicates, type Duplicates } from './duplicates.ts';
import type { Finding, ResponseFacts, Transfer } from './finding.ts';
import { readHalt, type Halt } from './state-findings.ts';
import { listFindings } from './findings.ts';
import type { Flight } from './flight.ts';
import { findHoles, type Holes } from './holes.ts';
import { readModuleUses, type ModuleUse } from './module-use.ts';

/**
 * What is counted of a flight, without what its texts say: secrets/look-at-texts.ts counts that. Sizes are bytes of the payload as
 * decoded, before compression; times milliseconds.
 */
export type PartAnalysis = {
  /** Where the bytes go: by kind, element, prop and row; and what they cost after compression. */
  attribution: Attribution;
  /** What is sent more than once. */
  duplicates: Duplicates;
  /** The client modules, and how often each is used. */
  modules: readonly ModuleUse[];
  /** What the page waited for, the longest wait first. */
  holes: Holes['holes'];
  /** Promises that client code was given. Whether anything waited for them is not in a payload. */
  promises: Holes['promises'];
  /** What a person can act on: problems first, then waits, then costs, then notes. */
  findings: readonly Finding[];
  /** Why promised rows never came; undefined where they did, or where it ended in another way. */
  halt: Halt | undefined;
};

export type AnalysisOptions = {
  /** When the response was written. Without them no hole has a time, and no finding is a wait. */
  chunks?: readonly ChunkTime[] | undefined;
  /** What is known of the response beside its bytes: it tells a payload with holes by design from one that was cut. */
  facts?: ResponseFacts | undefined;
};

/** Bytes that were sent for the rows, where it is known. They are taken to have the ratio of the whole response. */
function readSent(transfer: Transfer | undefined, total: number): number | undefined {
  return !transfer || transfer.response === 0 ? undefined : (transfer.sent / transfer.response) * total;
}

/** The codecs that the model is of. */
const modelled = new Set(['gzip', 'deflate']);

/** A level that is lower than usual takes so much more. */
const lowerLevel = 1.15;

/** Each costs some 20 µs. A server that writes byte by byte has as many as bytes. */
const mostPieces = 500;

/** Where one write ended and the next began, if all of them are of these rows; without those right behind another. */
function listCuts(chunks: readonly ChunkTime[], total: number): number[] {
  const cuts: number[] = [];
  let end = 0;
  for (const { bytes } of chunks) {
    end += bytes;
    if (end < total && end - (cuts.at(-1) ?? 0) >= total / mostPieces) cuts.push(end);
  }
  return end === total ? cuts : [];
}

/** @param sent tells whether the server forgot what it had sent at each of its writes */
function estimateSent(bytes: Uint8Array, chunks: readonly ChunkTime[], sent: number | undefined): Compression {
  const whole = estimateCompression(bytes);
  if (sent === undefined || sent < whole.total * lowerLevel) return whole;
  const inPieces = estimateCompression(bytes, listCuts(chunks, bytes.length));
  return Math.abs(inPieces.total - sent) < Math.abs(whole.total - sent) ? inPieces : whole;
}

/** What `analyzeFlight` does, without looking at texts: its rules are a tenth of the code, and a page draws without them first. */
export function analyzeParts(flight: Flight, { chunks = [], facts = {} }: AnalysisOptions = {}): PartAnalysis {
  const app = describeApp(flight);
  const sent = readSent(facts.transfer, flight.bytes.length);
  const isModelled = modelled.has(facts.transfer?.codec ?? '');
  // Sent as it is, a part takes what it has, and a copy as much as the first.
  const estimated =
    facts.transfer?.codec === 'identity'
      ? countUncompressed(flight.bytes.length)
      : estimateSent(flight.bytes, chunks, isModelled ? sent : undefined);
  // By how much more each part took than the estimate says.
  const factor = sent === undefined || estimated.total === 0 ? 1 : sent / estimated.total;
  const compression = scaleCompression(estimated, factor);
  // First what needs the most memory and keeps little of it.
  const duplicates = scaleDuplicates(findDuplicates(flight, { compression: estimated }), factor);
  const attribution = attributeBytes(flight, compression);
  const modules = readModuleUses(flight, attribution, compression, app.framework?.guess);
  const { holes, promises } = findHoles(flight, chunks);
  const findings = listFindings(flight, { attribution, compression, duplicates, modules, holes, promises, app, facts });
  const halt = readHalt(flight, { app, facts });
  return { attribution, duplicates, modules, holes, promises, findings, halt };
}

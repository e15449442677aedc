import { maxFlightBytes, type Flight, type FoundFlight, type HarLeftOut } from '#flight';
import type { OpenedFlight } from '#viewer/opened-flight.ts';

import { describeReason, toOpenedFlight, sizeOf } from './describe-found.ts';
import { countInWorker } from './count-in-worker.ts';
import { decodeInWorker, largestDecodedInline } from './decode-in-worker.ts';
import { performDecodeTask, type DecodeAnswer, type DecodeTask } from './decode-task.ts';

function readSize(task: DecodeTask): number {
  if (task.kind === 'open') return sizeOf(task.found);
  return task.bytes instanceof Blob ? task.bytes.size : task.bytes.length;
}

/** Decodes where it does not block the page, and arranges that the flight is counted where that does not block it either. */
async function runDecodeTask(task: DecodeTask): Promise<DecodeAnswer> {
  if (readSize(task) > largestDecodedInline) return decodeInWorker(task);
  const answer = await performDecodeTask(task);
  if (answer.kind === 'opened') countInWorker(answer.flight);
  return answer;
}

/** What was found in a file. */
export type Content =
  | {
      readonly kind: 'flights';
      readonly flights: readonly FoundFlight[];
      readonly leftOut: readonly HarLeftOut[];
    }
  | {
      readonly kind: 'problem';
      readonly title: string;
      readonly text: string;
      readonly leftOut: readonly HarLeftOut[];
    };

/** Flights that are decoded, for as long as what they were found in is held. */
const decoded = new WeakMap<FoundFlight, Promise<Flight>>();

/** Finds the flights in a file. Does not reject: what goes wrong is a problem in words. */
export async function findFlights(blob: Blob, isPasted: boolean): Promise<Content> {
  if (blob.size > maxFlightBytes) return { kind: 'problem', ...describeReason('too-large'), leftOut: [] };
  try {
    const answer = await runDecodeTask({ kind: 'find', bytes: blob, isPasted });
    if (answer.kind === 'opened') {
      decoded.set(answer.found, Promise.resolve(answer.flight));
      return { kind: 'flights', flights: [answer.found], leftOut: [] };
    }
    const { input } = answer;
    if (input.kind === 'flights') return input;
    return { kind: 'problem', ...describeReason(input.reason, input.detail), leftOut: input.leftOut };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { kind: 'problem', title: 'It could not be decoded', text, leftOut: [] };
  }
}

async function decode(found: FoundFlight): Promise<Flight> {
  const answer = await runDecodeTask({ kind: 'open', found });
  if (answer.kind !== 'opened') throw new Error('There is no flight in it');
  return answer.flight;
}

/** Decodes a flight, once however often it is asked for. */
export function decodeFound(found: FoundFlight): Promise<Flight> {
  const known = decoded.get(found);
  if (known) return known;
  const flight = decode(found);
  decoded.set(found, flight);
  // A failure is told to who asked; the next one tries again.
  flight.catch(() => decoded.delete(found));
  return flight;
}

export async function openFound(found: FoundFlight, name: string, links: OpenedFlight['links']): Promise<OpenedFlight> {
  return { ...toOpenedFlight(found, await decodeFound(found), name), links };
}

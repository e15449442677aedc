import { decodeFlight, decodeReply, type Flight, type FoundFlight, openFlights, type OpenedInput } from '#flight';

/** What a worker does when the input is large: see decode-worker.ts. */
export type DecodeTask =
  /** Whatever somebody has: a file, or pasted text. A file's bytes are read where they are decoded, and nowhere else. */
  | { readonly kind: 'find'; readonly bytes: Uint8Array | Blob; readonly isPasted: boolean }
  | { readonly kind: 'open'; readonly found: FoundFlight; readonly moduleFiles?: Flight['moduleFiles'] };

export type DecodeAnswer =
  | { readonly kind: 'opened'; readonly found: FoundFlight; readonly flight: Flight }
  /** Several flights, to choose from; or none. */
  | { readonly kind: 'found'; readonly input: OpenedInput };

/** @param moduleFiles where they are not in the file */
export function decodeFound(
  found: FoundFlight,
  moduleFiles: Flight['moduleFiles'] = new Map(found.origin.kind === 'saved' ? found.origin.saved.sources : []),
): DecodeAnswer & { kind: 'opened' } {
  const isResponse = found.direction === 'response';
  const flight = isResponse ? decodeFlight(found.bytes, { moduleFiles }) : decodeReply(found.body).flight;
  return { kind: 'opened', found, flight };
}

/** Finds the flights in an input and opens the only one; or opens the flight that was chosen. */
export async function performDecodeTask(task: DecodeTask): Promise<DecodeAnswer> {
  if (task.kind === 'open') return decodeFound(task.found, task.moduleFiles);
  const bytes = task.bytes instanceof Blob ? new Uint8Array(await task.bytes.arrayBuffer()) : task.bytes;
  const input = await openFlights(bytes, { isPasted: task.isPasted });
  const [first, second] = input.kind === 'flights' ? input.flights : [];
  // What a HAR lacks has to be seen, so that its only flight does not pass for all there was.
  return first && !second && input.leftOut.length === 0 ? decodeFound(first) : { kind: 'found', input };
}

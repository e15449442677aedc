import type { OpenedFlight } from '../flight/opened-flight.ts';
import { findFlights, openFound, type Found, type FoundFlight, type Input } from './find-flights.ts';

/** What a worker does when the input is large: see decode-worker.ts. */
export type DecodeTask =
  | { readonly kind: 'find'; readonly input: Input }
  | { readonly kind: 'open'; readonly found: FoundFlight };

export type DecodeAnswer =
  | { readonly kind: 'opened'; readonly opened: OpenedFlight }
  /** Several flights, to choose from; or none. */
  | { readonly kind: 'found'; readonly found: Found };

/** Finds the flights in an input and opens the only one; or opens the flight that was chosen. */
export async function performDecodeTask(task: DecodeTask): Promise<DecodeAnswer> {
  if (task.kind === 'open') return { kind: 'opened', opened: openFound(task.found) };
  const found = await findFlights(task.input);
  const [first, second] = found.kind === 'flights' ? found.flights : [];
  return first && !second ? { kind: 'opened', opened: openFound(first) } : { kind: 'found', found };
}

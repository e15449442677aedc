import { type InputFlight, readInput } from '../flight-command/read-input.ts';

/** What was loaded, and what it is called in a message: `GET /products`. */
export type Loaded = {
  readonly name: string;
  /** Whole, with its query. Undefined of what did not come from one address. */
  readonly address?: string | undefined;
  readonly flights: readonly LoadedFlight[];
};

export type LoadedFlight = InputFlight & {
  /** Of the response, where there was one. */
  readonly status?: number | undefined;
  /** A page, and not what a router asks for. */
  readonly isDocument?: boolean | undefined;
  /** The page cancelled the request: what came until then is all that it cost. */
  readonly isGivenUp?: boolean | undefined;
};

/** What a payload's own bytes do not say. */
type Facts = Pick<LoadedFlight, 'status' | 'isDocument' | 'isGivenUp'> & Pick<Loaded, 'address'>;

/**
 * The flights in a body, whatever holds them: a payload, a page of any framework, a framed body, a HAR.
 * @throws Error for a body without one: a budget that measured nothing would always be kept
 */
export async function openLoaded(name: string, bytes: Uint8Array, { address, ...facts }: Facts = {}): Promise<Loaded> {
  const input = await readInput(bytes);
  if (input.kind === 'unreadable') throw new Error(`${name} has no Flight to measure: ${input.reason}`);
  const flights = input.flights.map((flight) => ({
    ...flight,
    ...facts,
    isDocument: facts.isDocument ?? flight.pageSource !== undefined,
    title: flight.title === 'payload' ? name : `${name} (${flight.title})`,
  }));
  return { name, address, flights };
}

type RequestFacts = { readonly purpose?: string | undefined; readonly status?: number };

/** From here on, a status says that the answer is not what was asked for. */
export const firstErrorStatus = 400;

/**
 * What a response is called: without its query, which may hold what is nobody's business, or a hash of a build; with what it was for,
 * where that is known, and with a status that says that it failed.
 */
export function nameRequest(method: string, address: string, { purpose, status = 200 }: RequestFacts = {}): string {
  const path = URL.canParse(address) ? new URL(address).pathname : address;
  const isError = status >= firstErrorStatus;
  return [`${method} ${path}`.trim(), ...(purpose ? [purpose] : []), ...(isError ? [`status ${status}`] : [])].join(
    ', ',
  );
}

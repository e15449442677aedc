/**
 * A number of bytes, or a text such as `"12kB"` (12 × 1000) or `"1.5MiB"` (1.5 × 1024 × 1024). With a `base` it may say how much more
 * is allowed: `"+5%"`, `"+2kB"`.
 */
export type FlightSize = number | string;

/** What a flight may cost. At least one limit is needed, of sizes or modules; what is over any of them fails. */
export type FlightBudget = {
  /** Of the payload, before compression. */
  readonly bytes?: FlightSize | undefined;
  /** Of the payload compressed by itself, at gzip's usual level. */
  readonly gzip?: FlightSize | undefined;
  /** Bytes that are sent more than once. */
  readonly duplicates?: FlightSize | undefined;
  /** The app's client modules that the payload names; those of the framework are not counted. */
  readonly clientModules?: number | `+${number}` | `+${number}%` | undefined;
  /** `true`: a key of a provider, a private key, the hash of a password or the like in a payload fails. */
  readonly noSecrets?: boolean | undefined;
  /** Of an error page that is measured on purpose. Without it, a response with a status from 400 on is an error. */
  readonly status?: number | undefined;
  /**
   * What limits such as `"+5%"` are taken from: an address where the app runs as it was, a folder or a file of saved responses, or a
   * recorder's list, as `flight-recorder compare` takes them. A page that it does not have is an error.
   */
  readonly base?: string | undefined;
  /** What the base calls the page, where that is not the path that was loaded: a file of a folder. */
  readonly route?: string | undefined;
};

/**
 * What has a payload in it: a response, an address that is fetched, a payload or a page as text or bytes, or what
 * `renderToReadableStream` and `renderToPipeableStream` give.
 */
export type FlightSource =
  | Response
  | URL
  | string
  | Uint8Array
  | ArrayBuffer
  | ReadableStream
  | AsyncIterable<Uint8Array | string>
  | { readonly pipe: (destination: never) => unknown };

export type FlightExpectation = {
  /** Rejects with a message that names what costs the most, and how to open the payload. */
  readonly toStayWithin: (budget: FlightBudget) => Promise<void>;
};

/** `await expectFlight(fetch('http://localhost:3000/')).toStayWithin({ gzip: '12kB' })` */
export function expectFlight(source: FlightSource | Promise<FlightSource>): FlightExpectation;

/**
 * The payload's elements with the names and kinds of their props, without its data, row ids and hashes:
 * `expect(await readFlightShape(response)).toMatchSnapshot()`
 */
export function readFlightShape(source: FlightSource | Promise<FlightSource>): Promise<string>;

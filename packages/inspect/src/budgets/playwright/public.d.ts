/**
 * A number of bytes, or a text such as `"12kB"` (12 × 1000) or `"1.5MiB"` (1.5 × 1024 × 1024). With a `base` it may say how much more
 * is allowed: `"+5%"`, `"+2kB"`.
 */
export type FlightSize = number | string;

/** What a flight may cost. At least one limit is needed, of sizes or modules; what is over any of them fails. */
export type FlightBudget = {
  /** Of the payloads, before compression. */
  readonly bytes?: FlightSize | undefined;
  /** Of the payloads, each compressed by itself, at gzip's usual level. */
  readonly gzip?: FlightSize | undefined;
  /** Bytes that are sent more than once. */
  readonly duplicates?: FlightSize | undefined;
  /** The app's client modules that the payloads name; those of the framework are not counted. */
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

/** Playwright's `Page`, by a few of its methods. All are used that it has. */
export type FlightPage = {
  readonly url: () => string;
  readonly mainFrame: () => unknown;
  readonly evaluate: (code: string) => Promise<unknown>;
  readonly context: () => unknown;
  readonly waitForLoadState: (state: 'networkidle', options: { timeout: number }) => Promise<void>;
  readonly on: (event: 'request', listener: () => void) => unknown;
  readonly off: (event: 'request', listener: () => void) => unknown;
};

/** A response of a page, or one that Playwright's `request` got. */
export type FlightResponse = {
  readonly status: () => number;
  readonly url: () => string;
  readonly body: () => Promise<Uint8Array>;
};

/** What has a payload in it besides a page: a response, an address that is fetched, a payload or a page as text or bytes. */
export type FlightSource = FlightResponse | Response | URL | string | Uint8Array | ArrayBuffer;

export type FlightExpectation = {
  /** Rejects with a message that names what costs the most, and how to open the payload. */
  readonly toStayWithin: (budget: FlightBudget) => Promise<void>;
};

/**
 * Of a page: the payload in the document that it loaded. With a callback: all payloads that the page loads while it runs, for documents,
 * navigations, prefetches and actions, together. The callback begins when the page is quiet, or after five seconds.
 *
 * `await expectFlight(page).toStayWithin({ gzip: '12kB' })`
 * `await expectFlight(page, () => page.getByRole('link', { name: 'Shop' }).click()).toStayWithin({ gzip: '4kB' })`
 */
export function expectFlight(page: FlightPage, callback?: () => unknown): FlightExpectation;
export function expectFlight(source: FlightSource | null | Promise<FlightSource | null>): FlightExpectation;

/**
 * The elements of the same payloads with the names and kinds of their props, without data, row ids and hashes:
 * `expect(await readFlightShape(page)).toMatchSnapshot()`
 */
export function readFlightShape(page: FlightPage, callback?: () => unknown): Promise<string>;
export function readFlightShape(source: FlightSource | null | Promise<FlightSource | null>): Promise<string>;

/** For `expect.extend(flightMatchers)`: `await expect.soft(page).toStayWithinFlightBudget({ gzip: '12kB' })`. */
export const flightMatchers: {
  readonly toStayWithinFlightBudget: (
    received: FlightPage | FlightSource,
    budget: FlightBudget,
  ) => Promise<{ readonly pass: boolean; readonly message: () => string }>;
};

import { PassThrough } from 'node:stream';

import { maxFlightBytes } from '#flight';
import { documentHeaders, fetchBounded } from '../flight-command/fetch-bounded.ts';
import { describeError } from '#boundary';

import { hasMethods } from './has-methods.ts';
import { type Loaded, nameRequest, openLoaded } from './open-loaded.ts';

/**
 * What a test may have in its hand: a response, an address, a payload or page as text or bytes, a stream of one. They are told
 * apart by what they can do and not by their class: a test may run in an environment with classes of its own (happy-dom, an older
 * fetch), and Playwright has responses too.
 */
type WebResponse = {
  readonly status: number;
  readonly url: string;
  readonly bodyUsed: boolean;
  readonly clone: () => { readonly body: AsyncIterable<Uint8Array> | null };
};

/** Of Playwright: a page's response, or one that its `request` got. */
type PlaywrightResponse = {
  readonly status: () => number;
  readonly url: () => string;
  readonly body: () => Promise<Uint8Array>;
};

/** What `renderToPipeableStream` gives. */
type Pipeable = { readonly pipe: (to: PassThrough) => unknown };

const encoder = new TextEncoder();

function isWebResponse(source: object): source is WebResponse {
  return hasMethods(source, ['arrayBuffer', 'clone']) && 'bodyUsed' in source && 'status' in source;
}

function isPlaywrightResponse(source: object): source is PlaywrightResponse {
  return hasMethods(source, ['body', 'status', 'url']);
}

function isIterable(source: object): source is AsyncIterable<unknown> {
  return Symbol.asyncIterator in source;
}

function isPipeable(source: object): source is Pipeable {
  return hasMethods(source, ['pipe']);
}

async function collect(name: string, pieces: AsyncIterable<unknown>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? encoder.encode(piece) : piece;
    if (!(bytes instanceof Uint8Array)) throw new TypeError(`${name}: its pieces are neither bytes nor text`);
    size += bytes.length;
    if (size > maxFlightBytes) throw new Error(`${name} is larger than ${maxFlightBytes / 1024 / 1024} MiB`);
    all.push(bytes);
  }
  return new Uint8Array(Buffer.concat(all));
}

async function readResponse(response: WebResponse): Promise<Loaded> {
  const { status } = response;
  const name = nameRequest(response.url === '' ? 'the response' : 'GET', response.url, { status });
  if (response.bodyUsed) throw new Error(`${name}: its body was read already; pass response.clone(), or the text`);
  // The test may want to read it too.
  const { body } = response.clone();
  return await openLoaded(name, body ? await collect(name, body) : new Uint8Array(), {
    status,
    address: response.url,
  });
}

async function readAddress(url: URL): Promise<Loaded> {
  const {
    bytes,
    status,
    url: last,
  } = await fetchBounded({ url, headers: documentHeaders, ownHeaders: [] }).catch((error: unknown) => {
    throw new Error(`${nameRequest('GET', url.href)} at ${url.origin}: ${describeError(error)}; is the app running?`);
  });
  return await openLoaded(nameRequest('GET', url.href, { status }), bytes, { status, address: last.href });
}

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text);
}

/** Says whether the text is the path of a file or an address. A payload has a colon and a page a tag. */
function isPath(text: string): boolean {
  return /^\.{0,2}\/[^\s<:]*$/.test(text);
}

async function readObject(source: object): Promise<Loaded> {
  if (source instanceof URL) return await readAddress(source);
  if (source instanceof Uint8Array) return await openLoaded('the payload', source);
  if (source instanceof ArrayBuffer) return await openLoaded('the payload', new Uint8Array(source));
  if (isWebResponse(source)) return await readResponse(source);
  if (isPlaywrightResponse(source)) {
    const status = source.status();
    const address = source.url();
    return await openLoaded(nameRequest('GET', address, { status }), await source.body(), { status, address });
  }
  const name = 'the stream';
  if (isIterable(source)) return await openLoaded(name, await collect(name, source));
  if (isPipeable(source)) {
    const through = new PassThrough();
    source.pipe(through);
    return await openLoaded(name, await collect(name, through));
  }
  throw unknownSource(source);
}

function unknownSource(source: unknown): TypeError {
  if (source === null) {
    return new TypeError('there is no response (null): page.goto gives none for about:blank and within one page');
  }
  const what =
    typeof source === 'object' && source !== null
      ? `an object with ${Object.keys(source).join(', ') || 'no keys'}`
      : String(source);
  return new TypeError(
    `expectFlight takes a response, an address, a payload or page as text or bytes, or a stream, and a page of Playwright in flight-recorder/playwright; this is ${what}`,
  );
}

/** @param given one of them, or a promise of one: `fetch(url)` */
export async function readSource(given: unknown): Promise<Loaded> {
  const source = await given;
  if (typeof source === 'string') {
    if (isAddress(source)) return await readAddress(new URL(source));
    if (isPath(source)) {
      throw new TypeError(
        `${JSON.stringify(source)} is neither a whole address (http://…) nor a payload; a file is passed as its bytes`,
      );
    }
    return await openLoaded('the payload', encoder.encode(source));
  }
  if (typeof source === 'object' && source !== null) return await readObject(source);
  throw unknownSource(source);
}

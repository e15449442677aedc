import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';

import { type ChunkTime, maxFlightBytes } from '#flight';

import type { Header } from './arguments.ts';

/** What came from an address, with the time of each chunk. */
export type Fetched = {
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  readonly headers: Headers;
  /** Without a compression. */
  readonly bytes: Uint8Array;
  /** As how many bytes they came. */
  readonly transferred: number;
  readonly chunks: readonly ChunkTime[];
};

/** What the person asked for goes to the origin they named and to no other: it may be a cookie. */
export type Request = {
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly ownHeaders: readonly Header[];
  /** Called with each address before it is asked, those of redirects too; what it throws ends the request. */
  readonly beforeAsking?: (url: URL) => void;
};

/** curl and browsers follow more; five are an address, a language, a login. More is a circle. */
const maxRedirects = 5;

/** As a browser asks for a page. */
export const documentHeaders: readonly Header[] = [['Accept', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8']];

/** What browsers send, and Node can undo. */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress(),
};
const acceptEncoding = Object.keys(decoders).join(', ');

/** Of all together. A page that takes longer is left by its visitors, and a proxy in front of it gives up. */
const timeoutMs = 30_000;

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches an address of http or https, with its redirects. @throws Error in words when it does not answer, for more than
 * `maxFlightBytes` after decompression, and for a redirect to another scheme
 */
export async function fetchBounded(request: Request): Promise<Fetched> {
  const signal = AbortSignal.timeout(timeoutMs);
  let { url } = request;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    request.beforeAsking?.(url);
    const started = performance.now();
    const response = await ask(url, request, signal);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (location === undefined || !redirects.has(status)) {
      const body = await readBody(response, started, signal);
      const headers = readHeaders(response);
      return { url, status, contentType: headers.get('content-type') ?? '', headers, ...body };
    }
    response.destroy();
    url = follow(location, url);
  }
  throw new Error(`it redirects more than ${maxRedirects} times`);
}

function readHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

function follow(location: string, from: URL): URL {
  if (!URL.canParse(location, from)) throw new Error('it redirects to what is no address');
  const url = new URL(location, from);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`it redirects to ${url.protocol}, and only http and https are followed`);
  }
  return url;
}

/** Node's own client and not `fetch`, which does not tell how many bytes came. */
function ask(url: URL, { headers, ownHeaders, url: first }: Request, signal: AbortSignal): Promise<IncomingMessage> {
  const sent = new Headers({ 'Accept-Encoding': acceptEncoding });
  for (const [name, value] of headers) sent.set(name, value);
  if (url.origin === first.origin) for (const [name, value] of ownHeaders) sent.set(name, value);
  const client = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sending = client.request(url, { headers: Object.fromEntries(sent), signal });
    sending.on('response', resolve);
    sending.on('error', (error) => reject(new Error(explain(error, signal), { cause: error })));
    sending.end();
  });
}

/** @throws Error for a compression that nobody asked for */
function decode(response: IncomingMessage): Readable {
  const codec = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (codec === 'identity' || codec === '') return response;
  const create = decoders[codec];
  if (!create) throw new Error(`it is compressed with ${codec}, which was not asked for`);
  // Who reads gets the error.
  return pipeline(response, create(), () => {});
}

async function readBody(
  response: IncomingMessage,
  started: number,
  signal: AbortSignal,
): Promise<Pick<Fetched, 'bytes' | 'transferred' | 'chunks'>> {
  const pieces: Buffer[] = [];
  const chunks: ChunkTime[] = [];
  let [size, transferred] = [0, 0];
  response.on('data', (piece: Buffer) => (transferred += piece.length));
  const body: AsyncIterable<Buffer> = decode(response);
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > maxFlightBytes) break;
      pieces.push(piece);
      chunks.push({ ms: Math.round((performance.now() - started) * 10) / 10, bytes: piece.length });
    }
  } catch (error) {
    throw new Error(explain(error, signal), { cause: error });
  }
  if (size > maxFlightBytes) throw new Error(`it is larger than ${maxFlightBytes / 1024 / 1024} MiB`);
  return { bytes: new Uint8Array(Buffer.concat(pieces)), transferred, chunks };
}

function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `it took longer than ${timeoutMs / 1000} s`;
  if (!(error instanceof Error)) return String(error);
  // An address that has several numbers fails with an error for each.
  const own = error instanceof AggregateError ? error.errors.find((one) => one instanceof Error) : undefined;
  return own?.message ?? (error.message || error.name);
}

import { type ChunkTime, maxFlightBytes } from '#flight';

import type { Header } from './arguments.ts';

/** What came from an address, with the time of each chunk. */
export type Fetched = {
  /** After redirects. */
  readonly url: URL;
  readonly status: number;
  readonly contentType: string;
  /** Without a compression. */
  readonly bytes: Uint8Array;
  /** As how many bytes they came; undefined when the answer does not say it. */
  readonly transferred: number | undefined;
  readonly chunks: readonly ChunkTime[];
};

/** What the person asked for goes to the origin they named and to no other: it may be a cookie. */
export type Request = {
  readonly url: URL;
  readonly headers: readonly Header[];
  readonly ownHeaders: readonly Header[];
};

/** curl and browsers follow more; five are an address, a language, a login. More is a circle. */
const maxRedirects = 5;

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
    const started = performance.now();
    const response = await ask(url, request, signal);
    const location = redirects.has(response.status) ? response.headers.get('location') : null;
    if (location === null) {
      const { bytes, chunks } = await readBody(response, started);
      const contentType = response.headers.get('content-type') ?? '';
      const transferred = readTransferred(response, bytes);
      return { url, status: response.status, contentType, bytes, transferred, chunks };
    }
    await response.body?.cancel();
    url = follow(location, url);
  }
  throw new Error(`it redirects more than ${maxRedirects} times`);
}

/** `fetch` unpacks, and what it unpacked has a length only where the answer names it. */
function readTransferred({ headers }: Response, bytes: Uint8Array): number | undefined {
  if (!headers.has('content-encoding')) return bytes.length;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : undefined;
}

function follow(location: string, from: URL): URL {
  if (!URL.canParse(location, from)) throw new Error('it redirects to what is no address');
  const url = new URL(location, from);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`it redirects to ${url.protocol}, and only http and https are followed`);
  }
  return url;
}

async function ask(url: URL, { headers, ownHeaders, url: first }: Request, signal: AbortSignal): Promise<Response> {
  const sent = new Headers();
  for (const [name, value] of headers) sent.set(name, value);
  if (url.origin === first.origin) for (const [name, value] of ownHeaders) sent.set(name, value);
  try {
    return await fetch(url, { headers: sent, redirect: 'manual', signal });
  } catch (error) {
    throw new Error(explain(error), { cause: error });
  }
}

async function readBody(response: Response, started: number): Promise<Pick<Fetched, 'bytes' | 'chunks'>> {
  const pieces: Uint8Array[] = [];
  const chunks: ChunkTime[] = [];
  let size = 0;
  try {
    for await (const piece of response.body ?? []) {
      size += piece.length;
      if (size > maxFlightBytes) break;
      pieces.push(piece);
      chunks.push({ ms: Math.round((performance.now() - started) * 10) / 10, bytes: piece.length });
    }
  } catch (error) {
    throw new Error(explain(error), { cause: error });
  }
  if (size > maxFlightBytes) throw new Error(`it is larger than ${maxFlightBytes / 1024 / 1024} MiB`);
  return { bytes: new Uint8Array(Buffer.concat(pieces)), chunks };
}

/** `fetch` says `fetch failed`, and its cause what failed. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `it took longer than ${timeoutMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // An address that has several numbers fails with an error for each.
  const own = cause instanceof AggregateError ? cause.errors.find((one) => one instanceof Error) : undefined;
  return own?.message ?? (cause.message || error.message);
}

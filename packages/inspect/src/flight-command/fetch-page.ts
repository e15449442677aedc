import { createHash } from 'node:crypto';

import {
  type AppFacts,
  type ChunkTime,
  describePage,
  extractFlightFromHtml,
  type Framework,
  type HtmlFlight,
  type HtmlFlightPiece,
  type OpenedInput,
  openFlights,
  type PayloadRequest,
  recordOf,
} from '#flight';
import { describeError } from '#boundary';

import type { Header } from './arguments.ts';
import { documentHeaders, type Fetched, fetchBounded } from './fetch-bounded.ts';
import type { InputFlight, ResponseSizes } from './read-input.ts';

/** A page of a running app: the flights of its document, and of what a client asks for when it navigates there. */
export type FetchedPage = {
  readonly flights: readonly InputFlight[];
  /** Which of them are shown unless one is asked for: the document's first, and the payload. */
  readonly shown: readonly number[];
  /** What failed, a line each. */
  readonly problems: readonly string[];
  /** Of the document; undefined when it did not come. */
  readonly status: number | undefined;
  /** Where the document came from, after redirects. */
  readonly url?: URL;
};

const utf8 = new TextDecoder();

/** What Next.js's address of a payload is made with. */
export function hashText(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** The request for a page's payload; undefined for a framework whose client has none. */
function makePayloadRequest(framework: Framework, page: URL): PayloadRequest | undefined {
  const url = new URL(page);
  url.hash = '';
  return recordOf(framework).askPayload?.(url.href, hashText);
}

/** What a document says of its app, for its title. */
function nameFacts({ framework, route }: Pick<AppFacts, 'framework' | 'route'>): string {
  return [framework?.guess ?? 'framework unknown', ...(route === undefined ? [] : [`route ${route}`])].join(', ');
}

/** Never rejects: what failed is among the problems. */
export async function fetchPage(address: string, ownHeaders: readonly Header[]): Promise<FetchedPage> {
  let document: Fetched;
  try {
    document = await fetchBounded({ url: new URL(address), headers: documentHeaders, ownHeaders });
  } catch (error) {
    const problems = [`${address} cannot be fetched: ${describeError(error)}`];
    return { flights: [], shown: [], problems, status: undefined };
  }
  const direct = await openFlights(document.bytes);
  const isPage = direct.kind === 'flights' ? direct.flights[0]?.origin.kind === 'html' : isHtml(document, direct);
  if (!isPage) return toDirect(document, direct);
  const { status, url } = document;
  const { flights, framework, route } = describePage(utf8.decode(document.bytes));
  const own = readDocumentFlights(document, flights, nameFacts({ framework, route }));
  const shown = own.length > 0 ? [0] : [];
  const problems = own.length > 0 ? [] : [`${nameDocument(document)}: the page carries no Flight`];
  if (!framework) {
    problems.push(`${address}: its framework does not show, so its payload was not fetched`);
    return { flights: own, shown, problems, status, url };
  }
  const request = makePayloadRequest(framework.guess, document.url);
  // TanStack Start's client asks server functions, not for a page.
  if (!request) return { flights: own, shown, problems, status, url };
  const payload = await fetchPayload({ ...request, url: new URL(request.url), ownHeaders });
  if (typeof payload === 'string') problems.push(payload);
  else shown.push(own.length);
  return { flights: typeof payload === 'string' ? own : [...own, payload], shown, problems, status, url };
}

function isHtml({ contentType }: Fetched, opened: OpenedInput): boolean {
  return /^text\/html/i.test(contentType) || (opened.kind === 'unreadable' && opened.reason === 'html-without-flight');
}

function nameDocument({ url, status }: Fetched): string {
  return `document GET ${url.href} ${status}`;
}

export function toSizes({ bytes, transferred, headers }: Fetched): ResponseSizes {
  const codec = headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
  return { response: bytes.length, transferred, codec };
}

function describeAnswer({ status, contentType }: Fetched): string {
  return `${status} ${contentType}`.trim();
}

/** An address whose answer is no page: a payload, a HAR. */
function toDirect(fetched: Fetched, opened: OpenedInput): FetchedPage {
  const { url, status, bytes, chunks } = fetched;
  const found = opened.kind === 'flights' ? opened.flights.filter(({ direction }) => direction === 'response') : [];
  const flights = found.flatMap((one): InputFlight[] =>
    one.direction === 'response'
      ? [
          {
            title: `GET ${url.href} ${status}`,
            bytes: one.bytes,
            // The body is the payload itself, or something that holds it.
            chunks: one.bytes.length === bytes.length ? chunks : one.chunks,
            sizes: one.bytes.length === bytes.length ? toSizes(fetched) : undefined,
          },
        ]
      : [],
  );
  const problems = flights.length > 0 ? [] : [`GET ${url.href} ${describeAnswer(fetched)}: it is no Flight`];
  return { flights, shown: flights.length > 0 ? [0] : [], problems, status, url };
}

function readDocumentFlights(document: Fetched, flights: readonly HtmlFlight[], facts: string): InputFlight[] {
  const pieces = extractFlightFromHtml(document.bytes);
  return flights.map(({ source, stream, bytes }) => ({
    title: `${nameDocument(document)}, ${facts}${flights.length > 1 ? `, ${source === 'tanstack-start' ? `stream ${stream}` : source}` : ''}`,
    bytes,
    pageSource: source,
    sizes: toSizes(document),
    chunks: timePieces(
      pieces.filter((piece) => piece.source === source && piece.stream === stream),
      document.chunks,
    ),
  }));
}

/** A piece came with the chunk of the page that its last byte was in. */
function timePieces(pieces: readonly HtmlFlightPiece[], chunks: readonly ChunkTime[]): ChunkTime[] {
  let at = 0;
  let end = chunks[0]?.bytes ?? 0;
  return pieces.map(({ endsAt, bytes }) => {
    while (end < endsAt && at < chunks.length - 1) end += chunks[++at]?.bytes ?? 0;
    return { ms: chunks[at]?.ms ?? 0, bytes: bytes.length };
  });
}

/** The payload, or what is wrong with it. */
async function fetchPayload(request: Parameters<typeof fetchBounded>[0]): Promise<InputFlight | string> {
  const name = `payload GET ${request.url.href}`;
  let payload: Fetched;
  try {
    payload = await fetchBounded(request);
  } catch (error) {
    return `${name} cannot be fetched: ${describeError(error)}`;
  }
  const { status, bytes, chunks } = payload;
  const opened = await openFlights(bytes);
  const [found] = opened.kind === 'flights' ? opened.flights : [];
  if (found?.direction !== 'response' || found.origin.kind !== 'payload') {
    return `${name} ${describeAnswer(payload)}: it is no Flight`;
  }
  return { title: `payload GET ${payload.url.href} ${status}`, bytes, chunks, sizes: toSizes(payload) };
}

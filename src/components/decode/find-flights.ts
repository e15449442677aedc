import { formatCount } from '#src/components/format-count.ts';
import {
  decodeFlight,
  decodeReply,
  looksLikeReply,
  type ReplyPart,
  isFlightFile,
  readFlightFile,
  type FlightFile,
  readFlightsFromHar,
  type HarFlight,
  readFlightFromHtml,
  type HtmlFlight,
  findBoundary,
  readMultipart,
  repairPasted,
  sniff,
} from '#flight';

import type { OpenedFlight } from '../flight/opened-flight.ts';

/**
 * Finds the flights in what a person has: a payload, a page, a HAR, an exported flight, an action's request, or any of
 * these gzipped. The bytes alone decide what an input is, because files of these kinds have all sorts of names. Nothing
 * in them is requested.
 */
export type Input = {
  readonly bytes: Uint8Array;
  /** The file's name, or a text in its place. */
  readonly name: string;
  /** Pasted text lost its last line end, and its line ends may differ from those that were sent. */
  readonly isPasted: boolean;
};

/** A flight that was found and is not decoded yet. */
export type FoundFlight = {
  readonly title: string;
  readonly facts: OpenedFlight['facts'];
  readonly content:
    | { readonly kind: 'response'; readonly bytes: Uint8Array }
    | { readonly kind: 'request'; readonly body: string | readonly ReplyPart[] };
  readonly size: number;
  /** When the input has the times of its chunks. */
  readonly chunks?: OpenedFlight['chunks'];
};

export type Found =
  | { readonly kind: 'flights'; readonly flights: readonly FoundFlight[] }
  /** There is no flight: why, and what can be done about it. */
  | { readonly kind: 'none'; readonly title: string; readonly text: string };

const encoder = new TextEncoder();
const utf8 = new TextDecoder();

function none(title: string, text: string): Found {
  return { kind: 'none', title, text };
}

function readBody(text: string): string | readonly ReplyPart[] {
  const bytes = encoder.encode(text);
  const boundary = findBoundary(bytes);
  return boundary === undefined ? text : readMultipart(bytes, boundary);
}

const htmlSources: Record<HtmlFlight['source'], string> = {
  next: 'Next.js (__next_f)',
  'rsc-html-stream': '__FLIGHT_DATA',
};

function fromHtml({ bytes, name }: Input): Found {
  const flights = readFlightFromHtml(utf8.decode(bytes)).map(({ source, bytes: own, ends, broken }): FoundFlight => ({
    title: name,
    facts: [
      { name: 'From', value: `an HTML page’s scripts, ${htmlSources[source]}, in ${ends.length} pieces` },
      ...(broken === 0 ? [] : [{ name: 'Unreadable', value: `${broken} pieces that are not base64` }]),
    ],
    content: { kind: 'response', bytes: own },
    size: own.length,
  }));
  if (flights.length > 0) return { kind: 'flights', flights };
  return none(
    'This page carries no Flight',
    'It has neither Next.js’s __next_f scripts nor __FLIGHT_DATA. Take the page’s source as the server sent it, not as the browser’s inspector shows it.',
  );
}

function nameHarFlight({ method, url, source }: HarFlight): string {
  const path = /^https?:\/\/[^/]*(\/[^#]*)/.exec(url)?.[1] ?? url;
  return `${method} ${path}${source === 'response' ? '' : ' (in the page)'}`;
}

function fromHarFlight(flight: HarFlight): FoundFlight[] {
  const title = nameHarFlight(flight);
  const facts = [
    { name: 'Address', value: flight.url },
    { name: 'Status', value: String(flight.status) },
    { name: 'Started', value: flight.startedAt },
    { name: 'First byte', value: `${Math.round(flight.firstByteMs)} ms` },
    { name: 'End', value: `${Math.round(flight.totalMs)} ms` },
    ...(flight.isLossy ? [{ name: 'Lossy', value: 'bytes that are no text were lost when the HAR was saved' }] : []),
  ];
  const response: FoundFlight = {
    title,
    facts,
    content: { kind: 'response', bytes: flight.bytes },
    size: flight.bytes.length,
  };
  const { requestBody } = flight;
  if (requestBody === undefined || requestBody === '') return [response];
  const body = typeof requestBody === 'string' ? readBody(requestBody) : requestBody;
  return [response, { title: `${title}: arguments`, facts, content: { kind: 'request', body }, size: sizeOf(body) }];
}

function sizeOf(body: string | readonly ReplyPart[]): number {
  if (typeof body === 'string') return body.length;
  return body.reduce((sum, { value }) => sum + (typeof value === 'string' ? value : value.data).length, 0);
}

function fromHar(bytes: Uint8Array): Found {
  const result = readFlightsFromHar(utf8.decode(bytes));
  if (result.kind === 'malformed') return none('This HAR cannot be read', result.reason);
  const flights = result.flights.flatMap(fromHarFlight);
  if (flights.length > 0) return { kind: 'flights', flights };
  return none(
    'There is no Flight in this HAR',
    'Browsers leave response bodies out unless they are told otherwise: choose “Save all as HAR with content”, and load the pages while the network panel is open.',
  );
}

function listFacts({ facts }: FlightFile): OpenedFlight['facts'] {
  return [
    { name: 'Recorded', value: facts.startedAt },
    ...(facts.lastAt === null
      ? []
      : [{ name: 'Counted', value: `the first of ${formatCount(facts.hits)} hits, the last at ${facts.lastAt}` }]),
    { name: 'Route', value: facts.route },
    { name: 'Status', value: `${facts.status}, ${facts.rendering}, ${facts.outcome}` },
    { name: 'Took', value: `${Math.round(facts.durationMs)} ms` },
    { name: 'Request id', value: facts.requestId },
    ...(facts.action === null ? [] : [{ name: 'Action', value: facts.action }]),
  ];
}

/** A flight that this app exported, with its times: docs/flight-file.md. */
function fromFlightFile(text: string): Found {
  const result = readFlightFile(text);
  if (result.kind === 'malformed') return none('This exported flight cannot be read', `It says: ${result.reason}.`);
  const { file } = result;
  const { method, path, query, kind } = file.facts;
  const title = `${method} ${path}${query.length > 0 ? `?${query.join('&')}` : ''} (${kind})`;
  const facts = listFacts(file);
  const flights: FoundFlight[] = [];
  if (file.content === 'flight' && file.body.length > 0) {
    const chunks = file.chunks.map(([ms, bytes]) => ({ ms, bytes }));
    flights.push({ title, facts, content: { kind: 'response', bytes: file.body }, size: file.body.length, chunks });
  } else if (file.content === 'html') {
    for (const { bytes } of readFlightFromHtml(utf8.decode(file.body))) {
      flights.push({ title, facts, content: { kind: 'response', bytes }, size: bytes.length });
    }
  }
  if (file.arguments && file.arguments.body.length > 0) {
    const body = readBody(utf8.decode(file.arguments.body));
    flights.push({ title: `${title}: arguments`, facts, content: { kind: 'request', body }, size: sizeOf(body) });
  }
  if (flights.length > 0) return { kind: 'flights', flights };
  return none('This exported flight has no payload', 'The response had no Flight rows, so there is nothing to show.');
}

function fromRequest(body: string | readonly ReplyPart[], name: string): Found {
  const facts = [{ name: 'From', value: 'the body of a server action’s request' }];
  return { kind: 'flights', flights: [{ title: name, facts, content: { kind: 'request', body }, size: sizeOf(body) }] };
}

function fromPayload({ bytes, name, isPasted }: Input): Found {
  const own = isPasted ? encoder.encode(repairPasted(utf8.decode(bytes))) : bytes;
  const content = { kind: 'response', bytes: own } as const;
  return { kind: 'flights', flights: [{ title: name, facts: [], content, size: own.length }] };
}

/** The largest input that is unpacked: a HAR of an hour’s browsing is as large, and a tab has memory for it. */
export const maxInputBytes = 256 * 1024 * 1024;

async function unpack(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream('gzip'));
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > maxInputBytes) {
        await reader.cancel();
        return undefined;
      }
      pieces.push(next.value);
    }
  } catch {
    // It is not gzip, or it is cut off: there is nothing to show.
    return undefined;
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

async function fromGzip(input: Input): Promise<Found> {
  const bytes = await unpack(input.bytes);
  if (bytes && sniff(bytes).kind !== 'compressed') return findFlights({ ...input, bytes });
  return none('This gzip file cannot be unpacked', 'It is damaged, cut off, or more than 256 MiB when unpacked.');
}

/** Finds the flights in an input. Never throws, whatever the input contains. */
export async function findFlights(input: Input): Promise<Found> {
  const sniffed = sniff(input.bytes);
  switch (sniffed.kind) {
    case 'flight':
      return fromPayload(input);
    case 'html':
      return fromHtml(input);
    case 'har':
      return fromHar(input.bytes);
    case 'multipart':
      return fromRequest(readMultipart(input.bytes, sniffed.boundary), input.name);
    case 'reply': {
      const text = utf8.decode(input.bytes);
      return looksLikeReply(text) ? fromRequest(text, input.name) : describeUnknown();
    }
    case 'compressed':
      if (sniffed.format === 'gzip') return fromGzip(input);
      return none('This is compressed with zstd', 'Browsers cannot unpack that. Unpack it with `zstd -d` first.');
    case 'empty':
      return none('There is nothing in it', 'Not a single byte, or only white space.');
    case 'json': {
      const text = utf8.decode(input.bytes);
      return isFlightFile(text) ? fromFlightFile(text) : describeUnknown();
    }
    case 'unknown':
      return describeUnknown();
  }
}

function describeUnknown(): Found {
  return none(
    'This does not look like Flight',
    'A payload begins with a row, such as 0:{"…} or 1:I["…"]. A page begins with <!DOCTYPE html>, a HAR with {"log":.',
  );
}

/** Decodes a flight that was found. */
export function openFound({ title, facts, content, chunks = [] }: FoundFlight): OpenedFlight {
  const flight = content.kind === 'response' ? decodeFlight(content.bytes) : decodeReply(content.body).flight;
  return { flight, bytes: flight.bytes, chunks, title, facts, sources: new Map() };
}

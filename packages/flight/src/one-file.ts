import { fromBase64, toBase64 } from './base64.ts';
import type { ChunkTime } from './chunk-times.ts';
import { maxFlightBytes } from './decode-flight.ts';
import {
  Malformed,
  readCount,
  readFields,
  readList,
  readOrNull,
  readText,
  readTexts,
  readTime,
} from './file-fields.ts';
import type { ResponseFacts } from './finding.ts';
import { joinPieces } from './framing.ts';
import type { HtmlFlightSource } from './from-html.ts';
import { readServerTime, writeServerTime, type ServerTime } from './server-time/server-time.ts';
import type { Decompress } from './unpack.ts';

/**
 * Flights with their viewer in one HTML file. The viewer is a template that is built once; what is saved stands in it as base64 of
 * gzip: a line of JSON, then the bytes of every flight, in order. Documented in docs/one-file.md, which this module must keep true.
 * Whoever wrote the file may have been anybody: it is bounded, every field is checked, and what is not as documented is named.
 */
const oneFileFormat = 'flight-recorder/one-file@1';

/** One flight as the viewer shows it. */
export type SavedFlight = {
  readonly title: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly direction: 'response' | 'request';
  /** Of a response its Flight rows; of a request its body. */
  readonly bytes: Uint8Array;
  readonly chunks: readonly ChunkTime[];
  /** Of the response around the rows: before compression, and as it was sent. */
  readonly sizes: { readonly response: number | undefined; readonly transferred: number | undefined };
  readonly pageSource: HtmlFlightSource | undefined;
  readonly response: ResponseFacts | undefined;
  /** Hashed module or action id and its source file. */
  readonly sources: readonly (readonly [id: string, file: string])[];
  /** What the server did meanwhile, where its app told it. */
  readonly serverTime?: ServerTime | undefined;
};

/** Two of the flights, by their positions; undefined where one side has none. */
export type SavedComparison = {
  readonly title: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** What is said of it in a list of several. */
  readonly lines: readonly string[];
};

export type OneFile = {
  readonly title: string;
  /** ISO 8601. */
  readonly savedAt: string;
  readonly flights: readonly SavedFlight[];
  readonly comparisons: readonly SavedComparison[];
  /** Source text that belongs to it, as an experiment's. */
  readonly texts: readonly { readonly title: string; readonly text: string }[];
};

export type OneFileResult =
  | { readonly kind: 'one-file'; readonly file: OneFile }
  /** `reason` is for people. */
  | { readonly kind: 'malformed'; readonly reason: string };

/** Of the element that has the saved part. A file in which nothing was saved is the decoder. */
export const savedElementId = 'flight-saved';
const savedStart = `<script type="application/octet-stream" id="${savedElementId}">`;
const savedEnd = '</script>';

/** What the template has where each file says something of its own; the builder of the template writes it. */
export const oneFilePlaces = {
  title: '<title>Decode · Flight Recorder</title>',
  saved: `${savedStart}${savedEnd}`,
} as const;

const mostFlights = 10_000;
/** A recorder that keeps a chunk for every byte of its largest flight has fewer. */
const mostChunks = 1_100_000;
const mostEntries = 100_000;

const encoder = new TextEncoder();
const utf8 = new TextDecoder();
const lineEnd = 0x0a;

async function pack(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

function writeSaved({ flights, ...file }: OneFile): Uint8Array {
  const head = {
    format: oneFileFormat,
    ...file,
    flights: flights.map(({ bytes, chunks, serverTime, ...flight }) => ({
      ...flight,
      bytes: bytes.length,
      chunks: chunks.map(({ ms, bytes: count }) => [ms, count]),
      serverTime: serverTime && writeServerTime(serverTime),
    })),
  };
  return joinPieces([encoder.encode(`${JSON.stringify(head)}\n`), ...flights.map(({ bytes }) => bytes)]);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Writes the file: a template with this in it. `readOneFile` gives back the same. */
export async function fillOneFile(template: string, file: OneFile): Promise<string> {
  const saved = toBase64(await pack(writeSaved(file)));
  return template
    .replace(oneFilePlaces.title, () => `<title>${escapeHtml(file.title)} · Flight Recorder</title>`)
    .replace(oneFilePlaces.saved, () => `${savedStart}${saved}${savedEnd}`);
}

/** Whether a page is such a file, with something in it. */
export function isOneFile(html: string): boolean {
  return html.includes(savedStart) && !html.includes(oneFilePlaces.saved);
}

function readNames(value: unknown, name: string): { name: string; value: string }[] {
  return readList(value, name, mostEntries).map((entry, index) => {
    const fields = readFields(entry, `${name}[${index}]`);
    return { name: readText(fields['name'], `${name}.name`), value: readText(fields['value'], `${name}.value`) };
  });
}

function readChunks(value: unknown, name: string, length: number): ChunkTime[] {
  const chunks = readList(value, name, mostChunks).map((chunk) => {
    const [ms, bytes] = readList(chunk, name, 2);
    return { ms: readCount(ms, name), bytes: readCount(bytes, name) };
  });
  const sum = chunks.reduce((total, { bytes }) => total + bytes, 0);
  if (chunks.length > 0 && sum !== length) throw new Malformed(`${name} adds up to ${sum} bytes, not to ${length}`);
  return chunks;
}

function readResponse(value: unknown, name: string): ResponseFacts {
  const fields = readFields(value, name);
  const readFlag = (key: keyof ResponseFacts): boolean | undefined => {
    const flag = fields[key];
    if (flag === undefined || typeof flag === 'boolean') return flag;
    throw new Malformed(`${name}.${key} must be true or false`);
  };
  const transfer = readOrNull(fields['transfer'], `${name}.transfer`, readFields);
  return {
    isPrefetch: readFlag('isPrefetch'),
    isPrerender: readFlag('isPrerender'),
    isCut: readFlag('isCut'),
    isLeft: readFlag('isLeft'),
    isKeptInPart: readFlag('isKeptInPart'),
    transfer: transfer
      ? {
          response: readCount(transfer['response'], `${name}.transfer.response`),
          sent: readCount(transfer['sent'], `${name}.transfer.sent`),
          codec: readOrNull(transfer['codec'], `${name}.transfer.codec`, readText) ?? undefined,
        }
      : undefined,
  };
}

const pageSources: readonly HtmlFlightSource[] = ['next', 'rsc-html-stream', 'tanstack-start'];

/** Takes the bytes of one flight after the other. */
type Bytes = { readonly all: Uint8Array; at: number };

function readFlight(value: unknown, name: string, bytes: Bytes): SavedFlight {
  const fields = readFields(value, name);
  const length = readCount(fields['bytes'], `${name}.bytes`);
  if (bytes.at + length > bytes.all.length) throw new Malformed(`${name} is cut`);
  const own = bytes.all.subarray(bytes.at, (bytes.at += length));
  const sizes = readFields(fields['sizes'], `${name}.sizes`);
  const size = (of: string) => readOrNull(sizes[of], `${name}.sizes.${of}`, readCount) ?? undefined;
  const { direction } = fields;
  if (direction !== 'response' && direction !== 'request') {
    throw new Malformed(`${name}.direction must be "response" or "request"`);
  }
  return {
    title: readText(fields['title'], `${name}.title`),
    facts: readNames(fields['facts'], `${name}.facts`),
    direction,
    bytes: own,
    chunks: readChunks(fields['chunks'], `${name}.chunks`, length),
    sizes: { response: size('response'), transferred: size('transferred') },
    pageSource: pageSources.find((source) => source === fields['pageSource']),
    response: readOrNull(fields['response'], `${name}.response`, readResponse) ?? undefined,
    sources: readList(fields['sources'], `${name}.sources`, mostEntries).map((pair) => {
      const [id, file] = readList(pair, `${name}.sources`, 2);
      return [readText(id, `${name}.sources`), readText(file, `${name}.sources`)];
    }),
    serverTime: readOrNull(fields['serverTime'], `${name}.serverTime`, readServerTime) ?? undefined,
  };
}

function readComparison(value: unknown, name: string, flights: number): SavedComparison {
  const fields = readFields(value, name);
  const side = (of: string) => {
    const position = readOrNull(fields[of], `${name}.${of}`, readCount) ?? undefined;
    if (position !== undefined && !(Number.isInteger(position) && position < flights)) {
      throw new Malformed(`${name}.${of} is no flight of the file`);
    }
    return position;
  };
  return {
    title: readText(fields['title'], `${name}.title`),
    before: side('before'),
    after: side('after'),
    lines: readTexts(fields['lines'], `${name}.lines`),
  };
}

function readSaved(saved: Uint8Array): OneFile {
  const end = saved.indexOf(lineEnd);
  if (end < 0) throw new Malformed('the saved part has no first line');
  const parsed: unknown = JSON.parse(utf8.decode(saved.subarray(0, end)));
  const fields = readFields(parsed, 'the saved part');
  const { format } = fields;
  if (format !== oneFileFormat) {
    const found = typeof format === 'string' ? JSON.stringify(format.slice(0, 60)) : 'none';
    throw new Malformed(`format must be "${oneFileFormat}"; it is ${found}`);
  }
  const bytes: Bytes = { all: saved, at: end + 1 };
  const flights = readList(fields['flights'], 'flights', mostFlights).map((flight, index) =>
    readFlight(flight, `flights[${index}]`, bytes),
  );
  return {
    title: readText(fields['title'], 'title'),
    savedAt: readTime(fields['savedAt'], 'savedAt'),
    flights,
    comparisons: readList(fields['comparisons'], 'comparisons', mostFlights).map((comparison, index) =>
      readComparison(comparison, `comparisons[${index}]`, flights.length),
    ),
    texts: readList(fields['texts'], 'texts', mostEntries).map((entry, index) => {
      const text = readFields(entry, `texts[${index}]`);
      return { title: readText(text['title'], 'texts.title'), text: readText(text['text'], 'texts.text') };
    }),
  };
}

function describe(error: unknown): string {
  if (error instanceof RangeError) return 'it is larger than 64 MiB when it is unpacked';
  return error instanceof Error && error.message !== '' ? error.message : 'it is damaged';
}

/** Reads the text of the element that has the saved part. Never rejects: `reason` is one sentence for people. */
export async function readSavedPart(base64: string, decompress: Decompress): Promise<OneFileResult> {
  try {
    const saved = await decompress(fromBase64(base64.trim()), 'gzip', maxFlightBytes);
    if (!saved) return { kind: 'malformed', reason: 'it cannot be unpacked here' };
    return { kind: 'one-file', file: readSaved(saved) };
  } catch (error) {
    return { kind: 'malformed', reason: describe(error) };
  }
}

/** Reads the file's text. Never rejects. @see readSavedPart */
export async function readOneFile(html: string, decompress: Decompress): Promise<OneFileResult> {
  const start = html.indexOf(savedStart) + savedStart.length;
  const end = html.indexOf(savedEnd, start);
  return readSavedPart(html.slice(start, end < 0 ? undefined : end), decompress);
}

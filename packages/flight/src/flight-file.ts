import { fromBase64, toBase64 } from './base64.ts';
import { readCaching, type Caching } from './caches/caching.ts';
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
import { readServerTime, writeServerTime, type ServerTime } from './server-time/server-time.ts';

/**
 * One recorded flight as one file: JSON that a person can read, with the bytes as base64. Documented in
 * docs/flight-file.md, which this module must keep true. Whoever wrote the file may have been anybody: it is bounded,
 * every field is checked, and what is not as documented is named.
 *
 * A file of another version is refused, not guessed at. Fields that this version does not know are ignored, so that
 * later writers can add some without a new version.
 */
const flightFileFormat = 'flight-recorder/flight@1';

/** In bytes; null where it is not known. */
type FlightFileSizes = {
  /** Of the Flight rows, before compression. */
  readonly flight: number | null;
  /** Of the response's body before compression, with the HTML around the rows. */
  readonly response: number | null;
  /** Of the response's body as it was sent, compressed or not. */
  readonly transferred: number | null;
};

type FlightFileFacts = {
  readonly requestId: string;
  readonly traceId: string;
  /** One browser tab's sequence. */
  readonly visit: string | null;
  readonly kind: string;
  readonly method: string;
  readonly path: string;
  /** Names of the query's parameters; their values are not recorded. */
  readonly query: readonly string[];
  readonly route: string;
  readonly build: string;
  readonly status: number;
  readonly rendering: string;
  readonly outcome: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Milliseconds since the request began. */
  readonly firstByteMs: number | null;
  readonly durationMs: number;
  /** That went out, of which `body` may be the beginning. */
  readonly bytes: number;
  readonly digests: readonly string[];
  /** `<file>#<export>`. */
  readonly action: string | null;
  /** 1, or how many hits of a prerendered page were counted together: what the file describes is the first of them. */
  readonly hits: number;
  /** Of counted hits: when the last of them began, in ISO 8601. */
  readonly lastAt: string | null;
  /** Of which app: its id where it was recorded. This and what follows may be left out. */
  readonly app?: string | null;
  /** As `guessFramework` names it; null where nothing says it. */
  readonly framework?: string | null;
  /** Null in files from before there were three. */
  readonly sizes?: FlightFileSizes | null;
  /** The same as `sizes.transferred` and `sizes.response`, for readers from before those. */
  readonly sentBytes?: number | null;
  readonly decodedBytes?: number | null;
  /** What compressed the response, as HTTP names it; `identity` where nothing did. */
  readonly codec?: string | null;
  /** The path of the page that asked, without its query. */
  readonly fromPath?: string | null;
  /** Of a prefetch: what made the browser ask. */
  readonly trigger?: string | null;
  /** Of a navigation or an action: the tab's build, where another one answered; `unknown`: only that is known. */
  readonly tabBuild?: string | null;
  /** What the response told caches; null where that was not kept. */
  readonly caching?: Caching | null;
};

/** Milliseconds since the request began, and how many bytes were written then. */
type FlightFileChunk = readonly [ms: number, bytes: number];

type FlightFileArguments = {
  readonly contentType: string;
  /** As they came, of which `body` may be the beginning. */
  readonly bytes: number;
  readonly body: Uint8Array;
};

export type FlightFile = {
  readonly facts: FlightFileFacts;
  /** What `body` is: Flight rows, the HTML of a prerendered document, or nothing. */
  readonly content: 'flight' | 'html' | 'none';
  /** In the order written; their byte counts add up to the body's length, or there are none. */
  readonly chunks: readonly FlightFileChunk[];
  readonly body: Uint8Array;
  /** Development's debug rows, which travel beside the payload. */
  readonly debug: Uint8Array | null;
  /** The parts of the page that the response carried, and those it left out because the browser had them. */
  readonly elements: readonly string[];
  readonly elided: readonly string[];
  /** Of an action. */
  readonly arguments: FlightFileArguments | null;
  /** What the server did meanwhile; null where its app told nothing of it. It may be left out. */
  readonly serverTime?: ServerTime | null;
};

export type FlightFileResult =
  | { readonly kind: 'flight-file'; readonly file: FlightFile }
  /** `reason` is for people. */
  | { readonly kind: 'malformed'; readonly reason: string };

/** The decoder's own limit (decode-flight.ts), in base64, with room for the rest. */
const longestText = 96 * 1024 * 1024;
/** A recorder that keeps a chunk for every byte of its largest flight has fewer. */
const mostChunks = 1_100_000;

const contents = ['flight', 'html', 'none'] as const;

function readBytes(value: unknown, name: string): Uint8Array {
  const text = readText(value, name);
  try {
    return fromBase64(text);
  } catch {
    throw new Malformed(`${name} must be base64`);
  }
}

function readChunks(value: unknown, length: number): FlightFileChunk[] {
  const chunks = readList(value, 'chunks', mostChunks).map((chunk, index): FlightFileChunk => {
    const [ms, bytes] = readList(chunk, `chunks[${index}]`, 2);
    return [readCount(ms, `chunks[${index}][0]`), readCount(bytes, `chunks[${index}][1]`)];
  });
  const sum = chunks.reduce((total, [, bytes]) => total + bytes, 0);
  if (chunks.length > 0 && sum !== length) {
    throw new Malformed(`chunks add up to ${sum} bytes, but body has ${length}`);
  }
  return chunks;
}

function readSizes(value: unknown, name: string): FlightFileSizes {
  const sizes = readFields(value, name);
  const size = (of: string) => readOrNull(sizes[of], `${name}.${of}`, readCount);
  return { flight: size('flight'), response: size('response'), transferred: size('transferred') };
}

function readFacts(value: unknown): FlightFileFacts {
  const facts = readFields(value, 'facts');
  const text = (name: string) => readText(facts[name], `facts.${name}`);
  const count = (name: string) => readCount(facts[name], `facts.${name}`);
  return {
    requestId: text('requestId'),
    traceId: text('traceId'),
    visit: readOrNull(facts['visit'], 'facts.visit', readText),
    kind: text('kind'),
    method: text('method'),
    path: text('path'),
    query: readTexts(facts['query'], 'facts.query'),
    route: text('route'),
    build: text('build'),
    status: count('status'),
    rendering: text('rendering'),
    outcome: text('outcome'),
    startedAt: readTime(facts['startedAt'], 'facts.startedAt'),
    firstByteMs: readOrNull(facts['firstByteMs'], 'facts.firstByteMs', readCount),
    durationMs: count('durationMs'),
    bytes: count('bytes'),
    digests: readTexts(facts['digests'], 'facts.digests'),
    action: readOrNull(facts['action'], 'facts.action', readText),
    // Files from before hits were counted are of one.
    hits: readOrNull(facts['hits'], 'facts.hits', readCount) ?? 1,
    lastAt: readOrNull(facts['lastAt'], 'facts.lastAt', readTime),
    // Files from before there were several apps do not say these.
    app: readOrNull(facts['app'], 'facts.app', readText),
    framework: readOrNull(facts['framework'], 'facts.framework', readText),
    sizes: readOrNull(facts['sizes'], 'facts.sizes', readSizes),
    sentBytes: readOrNull(facts['sentBytes'], 'facts.sentBytes', readCount),
    decodedBytes: readOrNull(facts['decodedBytes'], 'facts.decodedBytes', readCount),
    codec: readOrNull(facts['codec'], 'facts.codec', readText),
    fromPath: readOrNull(facts['fromPath'], 'facts.fromPath', readText),
    trigger: readOrNull(facts['trigger'], 'facts.trigger', readText),
    tabBuild: readOrNull(facts['tabBuild'], 'facts.tabBuild', readText),
    caching: readOrNull(facts['caching'], 'facts.caching', readCachingOrFail),
  };
}

function readCachingOrFail(value: unknown, name: string): Caching {
  const caching = readCaching(value);
  if (!caching) throw new Malformed(`${name} must have headers, setsCookie and askedBy`);
  return caching;
}

function readArguments(value: unknown, name: string): FlightFileArguments {
  const fields = readFields(value, name);
  return {
    contentType: readText(fields['contentType'], `${name}.contentType`),
    bytes: readCount(fields['bytes'], `${name}.bytes`),
    body: readBytes(fields['body'], `${name}.body`),
  };
}

function readFile(parsed: unknown): FlightFile {
  const fields = readFields(parsed, 'the file');
  const { format } = fields;
  if (format !== flightFileFormat) {
    const found = typeof format === 'string' ? JSON.stringify(format.slice(0, 60)) : 'none';
    throw new Malformed(`format must be "${flightFileFormat}"; it is ${found}`);
  }
  const content = contents.find((kind) => kind === fields['content']);
  if (!content) throw new Malformed('content must be "flight", "html" or "none"');
  const body = readBytes(fields['body'], 'body');
  return {
    facts: readFacts(fields['facts']),
    content,
    chunks: readChunks(fields['chunks'], body.length),
    body,
    debug: readOrNull(fields['debug'], 'debug', readBytes),
    elements: readTexts(fields['elements'], 'elements'),
    elided: readTexts(fields['elided'], 'elided'),
    arguments: readOrNull(fields['arguments'], 'arguments', readArguments),
    serverTime: readOrNull(fields['serverTime'], 'serverTime', readServerTime),
  };
}

/** Reads a flight file's text, of at most 96 Mi characters. Never throws: `reason` is one sentence for people. */
export function readFlightFile(text: string): FlightFileResult {
  if (text.length > longestText) {
    return { kind: 'malformed', reason: `it has ${text.length} characters, more than ${longestText}` };
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { kind: 'malformed', reason: error instanceof Error ? error.message : 'it is not JSON' };
  }
  try {
    return { kind: 'flight-file', file: readFile(parsed) };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { kind: 'malformed', reason: error.message };
  }
}

/** Whether text that is JSON means to be such a file, from its beginning: `format` is always its first key. */
export function isFlightFile(text: string): boolean {
  return /^\s*\{\s*"format"\s*:\s*"flight-recorder\/flight@/.test(text.slice(0, 200));
}

/** Writes a flight file: its text, ending in a newline. `readFlightFile` gives back the same. */
export function writeFlightFile({
  facts,
  content,
  chunks,
  body,
  debug,
  elements,
  elided,
  serverTime,
  ...file
}: FlightFile): string {
  const written = {
    format: flightFileFormat,
    facts,
    content,
    elements,
    elided,
    chunks,
    body: toBase64(body),
    debug: debug && toBase64(debug),
    arguments: file.arguments && { ...file.arguments, body: toBase64(file.arguments.body) },
    serverTime: serverTime ? writeServerTime(serverTime) : null,
  };
  return `${JSON.stringify(written)}\n`;
}

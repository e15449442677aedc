/**
 * Reads the responses of an upstream (RFC 9112) from the bytes of its connection, as they come.
 *
 * Header names and values are kept exactly as they came, in their order: the client gets them so. Body bytes are handed on in
 * the piece that brought them, so that a flush of the upstream is a flush to the client. What says in two ways where a message
 * ends is no response: the bytes behind it would be taken for the answer to somebody else's request. So a line ends with CR LF,
 * a name stands directly before its colon, no line is folded, and a length excludes chunks.
 */

export type ResponseHead = {
  readonly status: number;
  readonly reason: string;
  /** Raw and flat: name, value, name, value. */
  readonly headers: readonly string[];
};

export type ResponseEvents = {
  /** 1xx. A final response follows. */
  readonly information: (head: ResponseHead) => void;
  /** 101: what follows is another protocol; `rest` came with the head. */
  readonly switched: (head: ResponseHead, rest: Buffer) => void;
  readonly head: (head: ResponseHead, framing: Framing) => void;
  readonly body: (chunk: Uint8Array) => void;
  /** @param isLast the connection cannot be used again */
  readonly end: (trailers: readonly string[], isLast: boolean) => void;
};

/** Where the body ends: there is none, after so many bytes, with the last chunk, or with the connection. */
export type Framing = 'none' | 'length' | 'chunked' | 'close';

export type ResponseReader = {
  /** A request of this method was sent: the next bytes are its response. */
  readonly expect: (method: string) => void;
  /**
   * The bytes may change after the call.
   * @throws MalformedResponse; nothing can be read from the connection after that
   */
  readonly read: (bytes: Buffer) => void;
  /** The upstream sends no more. Says whether that was the end of a response whose length is its connection's. */
  readonly finish: () => boolean;
};

export class MalformedResponse extends Error {}

/** Several times what servers and proxies let through; it bounds the memory of a response whose head never ends. */
const headLimit = 256 * 1024;
/** A size has 14 digits at most (2^53), the rest are extensions, which nobody uses. */
const sizeLineLimit = 1024;

const headEnd = Buffer.from('\r\n\r\n');
const empty = Buffer.alloc(0);
const lineFeed = 0x0a;
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: (.*))?$/;
const token = /^[!#$%&'*+.^_`|~\w-]+$/;
// The characters of a header's value: no control character but the tab.
// oxlint-disable-next-line no-control-regex
const notInValue = /[\0-\x08\x0a-\x1f\x7f]/;
const sizeLine = /^([\da-f]{1,13})[\t ]*(?:;.*)?$/i;

type Fields = {
  readonly headers: string[];
  length: number | undefined;
  isChunked: boolean;
  closes: boolean;
};

function readLength(fields: Fields, value: string): void {
  if (fields.length !== undefined) throw new MalformedResponse('Content-Length twice');
  if (!/^\d{1,15}$/.test(value)) throw new MalformedResponse(`Content-Length: ${value}`);
  fields.length = Number(value);
}

function readField(fields: Fields, name: string, value: string): void {
  // Only names of these lengths are looked at more closely: three of some fifteen.
  switch (name.length) {
    case 10:
      if (name.toLowerCase() === 'connection' && /(?:^|[,\s])close(?:[,\s]|$)/i.test(value)) fields.closes = true;
      break;
    case 14:
      if (name.toLowerCase() === 'content-length') readLength(fields, value);
      break;
    case 17:
      if (name.toLowerCase() !== 'transfer-encoding') break;
      if (fields.isChunked || value.toLowerCase() !== 'chunked') {
        throw new MalformedResponse(`Transfer-Encoding: ${value}`);
      }
      fields.isChunked = true;
      break;
    default:
  }
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

/** Step by step: a pattern for the end looks at each blank in a value as often as blanks stand beside it. */
function readValue(text: string, from: number, to: number): string {
  let [first, last] = [from, to];
  while (first < last && isBlank(text, first)) first += 1;
  while (first < last && isBlank(text, last - 1)) last -= 1;
  return text.slice(first, last);
}

/** @param at where the first field begins */
function readFields(text: string, at: number): Fields {
  const fields: Fields = { headers: [], length: undefined, isChunked: false, closes: false };
  for (let start = at; start < text.length;) {
    const found = text.indexOf('\r\n', start);
    const lineEnd = found === -1 ? text.length : found;
    const colon = text.indexOf(':', start);
    const name = colon === -1 || colon > lineEnd ? '' : text.slice(start, colon);
    if (!token.test(name)) throw new MalformedResponse('a line that is no header');
    const value = readValue(text, colon + 1, lineEnd);
    if (notInValue.test(value)) throw new MalformedResponse(`a control character in ${name}`);
    fields.headers.push(name, value);
    readField(fields, name, value);
    start = lineEnd + 2;
  }
  return fields;
}

type ParsedHead = { readonly head: ResponseHead; readonly fields: Fields; readonly isOld: boolean };

function parseHead(text: string): ParsedHead {
  const lineEnd = text.indexOf('\r\n');
  const line = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const [, minor, status, reason = ''] = statusLine.exec(line) ?? [];
  if (status === undefined || notInValue.test(reason)) throw new MalformedResponse('no status line');
  const fields = readFields(text, line.length + 2);
  const isOld = minor === '0';
  if (fields.isChunked && (fields.length !== undefined || isOld)) {
    throw new MalformedResponse('a chunked body with a length, or in HTTP/1.0');
  }
  return { head: { status: Number(status), reason, headers: fields.headers }, fields, isOld };
}

function findFraming({ length, isChunked }: Fields, status: number, method: string): Framing {
  if (method === 'HEAD' || status === 204 || status === 304) return 'none';
  if (isChunked) return 'chunked';
  if (length === undefined) return 'close';
  return length === 0 ? 'none' : 'length';
}

type State = 'idle' | 'head' | 'length' | 'size' | 'chunk' | 'chunk end' | 'trailers' | 'close';

/** Where the reading of a connection stands. */
type Reading = {
  readonly events: ResponseEvents;
  state: State;
  method: string;
  /** The beginning of a head that has not come whole. */
  held: Buffer;
  line: string;
  trailers: string;
  /** Bytes of the body, or of the chunk, that are still to come. */
  left: number;
  isLast: boolean;
};

function end(reading: Reading, trailers: readonly string[]): void {
  reading.state = 'idle';
  reading.events.end(trailers, reading.isLast);
}

function beginBody(reading: Reading, framing: Framing, length: number): void {
  switch (framing) {
    case 'none':
      return end(reading, []);
    case 'length':
      reading.left = length;
      reading.state = 'length';
      return;
    case 'chunked':
      reading.state = 'size';
      return;
    case 'close':
      reading.state = 'close';
  }
}

/** @returns whether what follows is HTTP */
function takeHead(reading: Reading, text: string, rest: Buffer): boolean {
  const { events } = reading;
  const { head, fields, isOld } = parseHead(text);
  if (head.status === 101) {
    reading.state = 'idle';
    events.switched(head, rest);
    return false;
  }
  if (head.status < 200) {
    events.information(head);
    return true;
  }
  const framing = findFraming(fields, head.status, reading.method);
  reading.isLast = isOld || fields.closes || framing === 'close';
  events.head(head, framing);
  beginBody(reading, framing, fields.length ?? 0);
  return true;
}

// Each of these reads what it can from `at` on, and returns where the next one begins.

function readHead(reading: Reading, bytes: Buffer, at: number): number {
  const isWhole = reading.held.length === 0;
  const all = isWhole ? bytes : Buffer.concat([reading.held, bytes.subarray(at)]);
  const start = isWhole ? at : 0;
  const found = all.indexOf(headEnd, start);
  if ((found === -1 ? all.length : found) - start > headLimit) throw new MalformedResponse('its head is too large');
  if (found === -1) {
    // The bytes are the reader's for this call alone.
    reading.held = isWhole ? Buffer.from(all.subarray(start)) : all;
    return bytes.length;
  }
  reading.held = empty;
  const bodyAt = found + headEnd.length;
  const isHttp = takeHead(reading, all.toString('latin1', start, found), all.subarray(bodyAt));
  return isHttp ? bytes.length - (all.length - bodyAt) : bytes.length;
}

/** Adds to `line`. @returns where the next one begins, or -1 when this one has not come whole */
function readLine(reading: Reading, bytes: Buffer, at: number, limit: number): number {
  const found = bytes.indexOf(lineFeed, at);
  reading.line += bytes.toString('latin1', at, found === -1 ? bytes.length : found);
  if (reading.line.length > limit) throw new MalformedResponse('a line is too long');
  if (found === -1) return -1;
  if (!reading.line.endsWith('\r')) throw new MalformedResponse('a line without CR');
  reading.line = reading.line.slice(0, -1);
  return found + 1;
}

function readSize(reading: Reading, bytes: Buffer, at: number): number {
  const next = readLine(reading, bytes, at, sizeLineLimit);
  if (next === -1) return bytes.length;
  const [, digits] = sizeLine.exec(reading.line) ?? [];
  if (digits === undefined) throw new MalformedResponse('a chunk without a size');
  reading.line = '';
  reading.left = Number.parseInt(digits, 16);
  reading.trailers = '';
  reading.state = reading.left === 0 ? 'trailers' : 'chunk';
  return next;
}

function readChunkEnd(reading: Reading, bytes: Buffer, at: number): number {
  const next = readLine(reading, bytes, at, 1);
  if (next === -1) return bytes.length;
  if (reading.line !== '') throw new MalformedResponse('a chunk that is longer than its size');
  reading.state = 'size';
  return next;
}

function readTrailer(reading: Reading, bytes: Buffer, at: number): number {
  const next = readLine(reading, bytes, at, headLimit - reading.trailers.length);
  if (next === -1) return bytes.length;
  const { line, trailers } = reading;
  reading.line = '';
  if (line === '') end(reading, readFields(trailers, 0).headers);
  else reading.trailers += trailers === '' ? line : `\r\n${line}`;
  return next;
}

function readBody(reading: Reading, bytes: Buffer, at: number): number {
  const size = Math.min(reading.left, bytes.length - at);
  reading.left -= size;
  reading.events.body(size === bytes.length ? bytes : bytes.subarray(at, at + size));
  if (reading.left > 0) return at + size;
  if (reading.state === 'chunk') reading.state = 'chunk end';
  else end(reading, []);
  return at + size;
}

function readToClose(reading: Reading, bytes: Buffer, at: number): number {
  reading.events.body(at === 0 ? bytes : bytes.subarray(at));
  return bytes.length;
}

function readNext(reading: Reading, bytes: Buffer, at: number): number {
  switch (reading.state) {
    case 'idle':
      throw new MalformedResponse('bytes that no request asked for');
    case 'head':
      return readHead(reading, bytes, at);
    case 'size':
      return readSize(reading, bytes, at);
    case 'chunk end':
      return readChunkEnd(reading, bytes, at);
    case 'trailers':
      return readTrailer(reading, bytes, at);
    case 'length':
    case 'chunk':
      return readBody(reading, bytes, at);
    case 'close':
      return readToClose(reading, bytes, at);
  }
}

export function createResponseReader(events: ResponseEvents): ResponseReader {
  const reading: Reading = {
    events,
    state: 'idle',
    method: '',
    held: empty,
    line: '',
    trailers: '',
    left: 0,
    isLast: false,
  };
  return {
    expect(method) {
      reading.method = method;
      reading.state = 'head';
    },
    read(bytes) {
      for (let at = 0; at < bytes.length;) at = readNext(reading, bytes, at);
    },
    finish() {
      if (reading.state !== 'close') return false;
      end(reading, []);
      return true;
    },
  };
}

import type { IncomingMessage } from 'node:http';

/**
 * The head of the request that goes to the upstream: what the client sent, in its order and spelling, but for what belongs to
 * one connection (RFC 9110, 7.6.1) and for `X-Forwarded-*`, which gain one hop.
 *
 * No `Via` is added: servers and libraries take it as a reason not to compress, so the app would answer in another way.
 */

/** Headers of one connection. `Trailer` is none: trailers are passed on. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

const neverDropped = ['host', 'content-length', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];

const lowerCaseNames = new Map<string, string>();
/** Names come from outside: what a client invents must not fill the memory. */
const mostNames = 500;
const longestName = 40;

/** The same few names come with every message. */
export function lowerName(name: string): string {
  const known = lowerCaseNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (lowerCaseNames.size < mostNames && name.length <= longestName) {
    // A copy: V8 may keep the whole head in memory for a part of it.
    lowerCaseNames.set(Buffer.from(name, 'latin1').toString('latin1'), lower);
  }
  return lower;
}

/** The names that a message's own `Connection` headers declare as headers of one connection. */
export function readConnectionNames(headers: readonly string[]): ReadonlySet<string> {
  let names: Set<string> | undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (name.length !== 10 || lowerName(name) !== 'connection') continue;
    const value = (headers[at + 1] ?? '').toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    names ??= new Set(connectionHeaders);
    for (const token of value.split(',')) names.add(token.trim());
  }
  // Without these a message is another one, or from somebody else, whatever it declares.
  for (const name of neverDropped) names?.delete(name);
  return names ?? connectionHeaders;
}

export type HeadParts = {
  /** The value of `Host`; undefined: the client's own is kept. */
  readonly host: string | undefined;
  /** For a client of HTTP/1.0 that sent no `Host`. */
  readonly authority: string;
  readonly peer: string;
  /** The client asks for a WebSocket. */
  readonly isUpgrade: boolean;
};

type Seen = { host: string | undefined; forwardedForAt: number; hasProto: boolean; hasForwardedHost: boolean };

function note(seen: Seen, lower: string, value: string, at: number): void {
  switch (lower) {
    case 'host':
      seen.host = value;
      break;
    case 'x-forwarded-for':
      seen.forwardedForAt = at;
      break;
    case 'x-forwarded-proto':
      seen.hasProto = true;
      break;
    case 'x-forwarded-host':
      seen.hasForwardedHost = true;
      break;
    default:
  }
}

/** A header of one connection, as this proxy's own connection to the upstream has it. Empty: it has none. */
function writeConnectionHeader(name: string, lower: string, value: string, isUpgrade: boolean): string {
  switch (lower) {
    case 'connection':
      return `${name}: ${isUpgrade ? 'Upgrade' : 'keep-alive'}\r\n`;
    case 'upgrade':
      return isUpgrade ? `${name}: ${value}\r\n` : '';
    case 'transfer-encoding':
      return `${name}: chunked\r\n`;
    case 'te':
      // The one value that this proxy keeps its word for.
      return /(?:^|[,\s])trailers(?:[,\s;]|$)/i.test(value) ? `${name}: trailers\r\n` : '';
    default:
      return '';
  }
}

/** The headers of the client that are passed on, `X-Forwarded-For` as it came. Notes what the rest depends on. */
function collect(headers: readonly string[], { host, isUpgrade }: HeadParts, seen: Seen): string[] {
  const dropped = readConnectionNames(headers);
  const lines: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    const lower = lowerName(name);
    if (dropped.has(lower)) {
      const line = writeConnectionHeader(name, lower, value, isUpgrade);
      if (line !== '') lines.push(line);
      continue;
    }
    note(seen, lower, value, lines.length);
    lines.push(`${name}: ${lower === 'host' ? (host ?? value) : value}\r\n`);
  }
  return lines;
}

export function writeRequestHead(incoming: IncomingMessage, parts: HeadParts): string {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const seen: Seen = { host: undefined, forwardedForAt: -1, hasProto: false, hasForwardedHost: false };
  const lines = collect(rawHeaders, parts, seen);
  const forwardedFor = lines[seen.forwardedForAt];
  // The upstream reads the list from its end: this hop stands behind all others.
  if (forwardedFor === undefined) lines.push(`X-Forwarded-For: ${parts.peer}\r\n`);
  else lines[seen.forwardedForAt] = `${forwardedFor.slice(0, -2)}, ${parts.peer}\r\n`;
  // A proxy in front knows what the browser used. There is no TLS on this port.
  if (!seen.hasProto) lines.push('X-Forwarded-Proto: http\r\n');
  // An empty one is a Host, too (RFC 9110, 7.2): a second beside it would be another request to the upstream.
  if (seen.host === undefined) lines.unshift(`Host: ${parts.host ?? parts.authority}\r\n`);
  else if (seen.host !== '' && !seen.hasForwardedHost) lines.push(`X-Forwarded-Host: ${seen.host}\r\n`);
  return `${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

import { visitorHeader } from '#src/server/http/flight-headers.ts';
import { formatVisitor, type Visitor } from '#src/server/http/visitor.ts';

/**
 * Which headers go on between a visitor and the interface. Names and values in turn, as Node takes them raw: two of one name stay two.
 */
export type RawHeaders = readonly string[];

/** RFC 9110, 7.6.1: of one connection, not of the message. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Without these a request is another one, or from somebody else, whatever `Connection` says. */
const neverNamed: readonly string[] = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'origin',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
];

/** What a client or a proxy in front of the app has written of itself: read-visitor.ts has read what can be believed. */
const ofVisitor: ReadonlySet<string> = new Set(['host', 'forwarded', 'via', 'x-real-ip', 'expect', visitorHeader]);

/** Written anew (read-framing.ts), as `Transfer-Encoding` is. */
const framingHeader = 'content-length';

/** Of the interface's own cookies. What the app keeps in a browser is none of its business. */
const ownCookie = /^(?:__Host-flight|__Secure-flight|flight_(?:mounted_)?\d+)=/;

/** Answers that speak for the whole origin, which is the app's: its rule about TLS, its caches and storage. */
const ofOrigin: ReadonlySet<string> = new Set(['strict-transport-security', 'clear-site-data']);

export function* listPairs(headers: RawHeaders): Generator<readonly [name: string, value: string]> {
  for (let at = 0; at + 1 < headers.length; at += 2) yield [headers[at] ?? '', headers[at + 1] ?? ''];
}

/** What `Connection` names is of one connection, too. */
function listNamed(headers: RawHeaders): ReadonlySet<string> {
  const values = [...listPairs(headers)].flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? value : []));
  const named = new Set(values.flatMap((value) => value.split(',').map((each) => each.trim().toLowerCase())));
  for (const name of neverNamed) named.delete(name);
  return named;
}

function keepOwnCookies(value: string): string {
  return value
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => ownCookie.test(pair))
    .join('; ');
}

/** The head of the request to the interface, without the framing of its body. @param door the secret of the interface that runs now */
export function toUpstreamHeaders(headers: RawHeaders, visitor: Visitor, door: string): string[] {
  const named = listNamed(headers);
  const kept = [...listPairs(headers)].flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    // HTTP/2 has names that begin with a colon in place of the request line.
    if (lower.startsWith(':') || lower.startsWith('x-forwarded-') || ofVisitor.has(lower)) return [];
    if (lower === framingHeader) return [];
    if (hopByHop.has(lower) || named.has(lower)) return [];
    if (lower !== 'cookie') return [name, value];
    const own = keepOwnCookies(value);
    return own === '' ? [] : [name, own];
  });
  return ['host', visitor.host, visitorHeader, formatVisitor(visitor, door), ...kept];
}

/** The head of the answer. */
export function toDownstreamHeaders(headers: RawHeaders): readonly (readonly [name: string, value: string])[] {
  const named = listNamed(headers);
  return [...listPairs(headers)].filter(([name]) => {
    const lower = name.toLowerCase();
    return !hopByHop.has(lower) && !named.has(lower) && !ofOrigin.has(lower);
  });
}

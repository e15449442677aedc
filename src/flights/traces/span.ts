import { spanKinds, type PlacedSpan, type SpanKind } from '#flight';

/** As OpenTelemetry numbers them, from 1. Nobody's OpenTelemetry tells a component. */
const openTelemetryKinds = spanKinds.slice(0, 5);

/**
 * What a server did for a request, as OpenTelemetry says it: a span has a name, a time, and the span that it belongs to. Kept of it
 * is what tells what took the time. Values of attributes are not: they may hold what the app's visitors typed.
 */
export type Span = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Empty: it is the first of its trace, as far as its sender knows. */
  readonly parent: string;
  /** A request without the values of its query, or what the sender called it. */
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, by the sender's clock. */
  readonly startedAt: number;
  readonly ms: number;
  readonly hasFailed: boolean;
} & Pick<PlacedSpan, 'isOpen' | 'place' | 'isFree'>;

/** A name that is longer says nothing more. Next.js's longest are a route with words around it. */
const longestName = 200;

/** Attributes that are read, by the names of OpenTelemetry's conventions, the present ones and those before them. */
const readAttributes = [
  'http.request.method',
  'http.method',
  'url.full',
  'http.url',
  'server.address',
  'net.peer.name',
  'db.system.name',
  'db.system',
  'db.operation.name',
  'db.operation',
  'db.collection.name',
  'db.sql.table',
] as const;

export type AttributeName = (typeof readAttributes)[number];

const known: ReadonlySet<string> = new Set(readAttributes);

export function isReadAttribute(name: string): name is AttributeName {
  return known.has(name);
}

/** A span as it was sent, before it is known to be one. */
export type SentSpan = {
  readonly traceId: string;
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  /** As OpenTelemetry numbers them: 1 is internal. */
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly hasFailed: boolean;
  readonly attributes: ReadonlyMap<AttributeName, string>;
};

/** An address without its query, its fragment and who signs in with it. */
function shortenAddress(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/^[a-z][a-z\d+.-]*:\/\/(?:[^/@]*@)?/i, '');
}

/** In a name that its sender made: each address loses its query. */
function dropQueries(name: string): string {
  return name.replace(/(\S)[?#]\S*/g, '$1').replace(/\/\/[^\s/@]*@/g, '//');
}

function nameRequest(attributes: SentSpan['attributes']): string | undefined {
  const method = attributes.get('http.request.method') ?? attributes.get('http.method');
  const address = attributes.get('url.full') ?? attributes.get('http.url');
  const host = attributes.get('server.address') ?? attributes.get('net.peer.name');
  const to = address === undefined ? host : shortenAddress(address);
  return method === undefined || to === undefined ? undefined : `${method} ${to}`;
}

/** The statement itself may hold values, so it is not read. */
function nameQuery(attributes: SentSpan['attributes']): string | undefined {
  const system = attributes.get('db.system.name') ?? attributes.get('db.system');
  if (system === undefined) return undefined;
  const operation = attributes.get('db.operation.name') ?? attributes.get('db.operation');
  const table = attributes.get('db.collection.name') ?? attributes.get('db.sql.table');
  return [system, operation, table].filter((part) => part !== undefined).join(' ');
}

function cut(text: string): string {
  return text.length > longestName ? `${text.slice(0, longestName - 1)}…` : text;
}

const idPatterns = { trace: /^(?!0+$)[0-9a-f]{32}$/, span: /^(?!0+$)[0-9a-f]{16}$/ };

/** @returns undefined for what is no span: without ids, or with times that are none */
export function toSpan(sent: SentSpan): Span | undefined {
  const { traceId, id, parent, kind, start, end, hasFailed, attributes } = sent;
  const isWhole = idPatterns.trace.test(traceId) && idPatterns.span.test(id) && end >= start && start > 0;
  if (!isWhole || (parent !== '' && !idPatterns.span.test(parent))) return undefined;
  const kindName = openTelemetryKinds[kind - 1] ?? 'internal';
  const asked = kindName === 'client' ? (nameQuery(attributes) ?? nameRequest(attributes)) : undefined;
  const name = cut(asked ?? dropQueries(sent.name));
  return { traceId, id, parent, name, kind: kindName, startedAt: start, ms: end - start, hasFailed };
}

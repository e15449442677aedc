import { randomBytes } from 'node:crypto';

import {
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Attributes,
  type HrTime,
  type SpanContext,
} from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_REQUEST_METHOD_ORIGINAL,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
} from '@opentelemetry/semantic-conventions';

import { isFailed } from '../flight/is-failed.ts';
import { toSpanId, type ExportedFlight } from './exported.ts';

/**
 * A flight as a span of OpenTelemetry: https://opentelemetry.io/docs/specs/semconv/http/http-spans/. What the conventions have no
 * word for begins with `flight.`. docs/opentelemetry.md lists all of it.
 */
type Scope = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;
type Events = Pick<ReadableSpan, 'events' | 'droppedEventsCount'>;

/** The conventions' list; another method could be anything. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY']);
/** A page that streams has some ten chunks. Beyond this, those with the longest waits are told. */
const chunksExported = 32;
const digestsExported = 16;
/** As long as collectors take by default; a path may have more. */
const textLimit = 1_024;

const nanosecondsPerMs = 1_000_000;

export function toTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * nanosecondsPerMs)];
}

function toContext(traceId: string, spanId: string, isRemote: boolean): SpanContext {
  return { traceId, spanId, isRemote, traceFlags: TraceFlags.SAMPLED };
}

function readParent(parent: string | null): SpanContext | undefined {
  const [traceId, spanId] = (parent ?? '').split('-');
  return traceId && spanId ? toContext(traceId, spanId, true) : undefined;
}

function describeMethod({ method }: ExportedFlight): Attributes {
  if (knownMethods.has(method)) return { [ATTR_HTTP_REQUEST_METHOD]: method };
  return { [ATTR_HTTP_REQUEST_METHOD]: '_OTHER', [ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: method };
}

function describe(flight: ExportedFlight): Attributes {
  const { status, framework, actionId, sentBytes, build } = flight;
  const digests = flight.digests.filter((digest) => digest !== '');
  return {
    ...describeMethod(flight),
    [ATTR_URL_PATH]: flight.path.slice(0, textLimit),
    [ATTR_HTTP_ROUTE]: flight.route.slice(0, textLimit),
    ...(status > 0 ? { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status } : {}),
    ...(isFailed(flight) ? { [ATTR_ERROR_TYPE]: status >= 500 ? String(status) : 'flight' } : {}),
    ...(sentBytes === null ? {} : { 'http.response.body.size': sentBytes }),
    'flight.app': flight.app,
    'flight.kind': flight.kind,
    'flight.bytes': flight.bytes,
    'flight.outcome': flight.outcome,
    'flight.rendering': flight.rendering,
    'flight.source': flight.source,
    'flight.request_id': flight.requestId,
    ...(digests[0] === undefined
      ? {}
      : { 'flight.digest': digests[0], 'flight.digests': digests.slice(0, digestsExported) }),
    ...(framework === null ? {} : { 'flight.framework': framework }),
    ...(actionId === null ? {} : { 'flight.action': actionId.slice(0, textLimit) }),
    ...(build === '' ? {} : { 'flight.build': build }),
  };
}

/** Each write of the page: how long the reader waited for it, since the one before. */
function describeWaits({ chunks, startedAt }: ExportedFlight): Events {
  const written = chunks.filter(([, , isDebug]) => isDebug === 0);
  const waits = written.map(([ms, bytes], index) => ({
    ms,
    bytes,
    index,
    waitMs: ms - (written[index - 1]?.[0] ?? 0),
  }));
  const told = waits
    .toSorted((a, b) => b.waitMs - a.waitMs)
    .slice(0, chunksExported)
    .toSorted((a, b) => a.index - b.index);
  const events = told.map(({ ms, bytes, index, waitMs }) => ({
    name: index === 0 ? 'flight.first_chunk' : 'flight.chunk',
    time: toTime(startedAt + ms),
    attributes: {
      'flight.chunk.index': index,
      'flight.chunk.bytes': bytes,
      'flight.chunk.wait_ms': Math.round(waitMs * 100) / 100,
    },
  }));
  return { events, droppedEventsCount: waits.length - told.length };
}

/** When each happened is not known, only that it did: the error itself is a log record of its own. */
function describeErrors({ digests, startedAt, durationMs }: ExportedFlight): ReadableSpan['events'] {
  return digests.slice(0, digestsExported).map((digest) => ({
    name: 'flight.error',
    time: toTime(startedAt + durationMs),
    attributes: digest === '' ? {} : { 'flight.digest': digest },
  }));
}

export function toSpan(flight: ExportedFlight, { resource, instrumentationScope }: Scope): ReadableSpan {
  const { method, route, startedAt, durationMs } = flight;
  const traceId = flight.traceId === '' ? randomBytes(16).toString('hex') : flight.traceId;
  const own = toContext(traceId, toSpanId(flight.requestId) ?? randomBytes(8).toString('hex'), false);
  const parent = readParent(flight.parent);
  const isInTrace = parent?.traceId === traceId;
  const { events, droppedEventsCount } = describeWaits(flight);
  return {
    // The conventions' own name where the method is unknown.
    name: `${knownMethods.has(method) ? method : 'HTTP'} ${route.slice(0, textLimit)}`,
    kind: SpanKind.SERVER,
    spanContext: () => own,
    ...(parent && isInTrace ? { parentSpanContext: parent } : {}),
    // The browser named the trace of its document, and a proxy in between began another one.
    links: parent && !isInTrace ? [{ context: parent }] : [],
    startTime: toTime(startedAt),
    endTime: toTime(startedAt + durationMs),
    duration: toTime(durationMs),
    ended: true,
    status: { code: isFailed(flight) ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: describe(flight),
    events: [...events, ...describeErrors(flight)],
    droppedAttributesCount: 0,
    droppedEventsCount,
    droppedLinksCount: 0,
    resource,
    instrumentationScope,
  };
}

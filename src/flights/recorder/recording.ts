import type { FlightOutcome, FlightStart, FlightTap, ResponseSize } from '#src/runtime/renderer/flight-observer.ts';
import type { FlightChunk } from '#src/runtime/renderer/flight.ts';
import { closeCallLog, openCallLog, type CallLog } from '#src/runtime/timing/call-log.ts';
import type { PrerenderedFile, RequestContext, RequestHeaders } from '#src/server/http/request-context.ts';

import type { Budget } from '../flight/budget.ts';
import { findRoute } from '../flight/find-route.ts';
import { createFlightBytes, flightLimit, type FlightBytes } from '../flight/flight-bytes.ts';
import type { FlightHead } from '../flight/flight-head.ts';
import { readFromPath } from '../flight/from-path.ts';
import { packSpans, type TracePart } from '../traces/pack-spans.ts';
import { toSpans } from '../traces/to-spans.ts';
import { readKnownElements, readNamedVisit, readQuery, readTrigger } from '../flight/request-facts.ts';

/**
 * One request from its first middleware to the end of its response. It is complete when two things are known, which come in either
 * order: how it was answered, and how its Flight stream ended, if it had one. It is kept in the request's context, where the
 * renderer's observer finds it.
 */
type FlightState =
  | { readonly status: 'none' }
  | { readonly status: 'open'; readonly start: FlightStart; readonly bytes: FlightBytes }
  | {
      readonly status: 'ended';
      readonly start: FlightStart;
      readonly bytes: FlightBytes;
      readonly outcome: FlightOutcome;
      readonly endedMs: number;
      readonly size: ResponseSize | undefined;
    };

/** `sentBytes` of a file: as it was sent, compressed or not. */
export type Answer = { readonly status: number; readonly ms: number; readonly sentBytes?: number | undefined };

/** What is read of a request: a `Request` has it, and Node's request can give it. */
export type RecordedRequest = { readonly url: string; readonly headers: RequestHeaders };

export type Recording = {
  readonly request: RequestContext;
  /** The id of the app that answers. */
  readonly app: string;
  readonly kind: FlightHead['kind'];
  /** Which build answers; empty in development. */
  readonly build: string;
  readonly headers: RequestHeaders;
  readonly url: string;
  /** Milliseconds since the process started. */
  readonly begun: number;
  /** What timed code of the app did for it; undefined where none is timed. */
  calls: CallLog | undefined;
  flight: FlightState;
  answer: Answer | undefined;
};

const recordingKey = Symbol('recording');
type ObservedRequest = RequestContext & { [recordingKey]?: Recording };
const noFlight: FlightState = { status: 'none' };
const nothing = new Uint8Array();

export function createRecording(
  request: RequestContext,
  { app, kind, build }: Pick<Recording, 'app' | 'kind' | 'build'>,
  raw: RecordedRequest,
): Recording {
  return {
    request,
    app,
    kind,
    build,
    headers: raw.headers,
    url: raw.url,
    begun: performance.now(),
    calls: undefined,
    flight: noFlight,
    answer: undefined,
  };
}

/** Milliseconds since the request began. */
export function readElapsed({ begun }: Recording): number {
  return performance.now() - begun;
}

/** Where the renderer's observer finds it, and timed code finds where to log. */
export function attachRecording(recording: Recording, isTimed: boolean): void {
  const request: ObservedRequest = recording.request;
  request[recordingKey] = recording;
  if (isTimed) recording.calls = openCallLog(request);
}

/** What was logged, once it is over; undefined where that is nothing. */
export function takeSpans({ request, calls, begun }: Recording): TracePart | undefined {
  if (!calls) return undefined;
  const logged = closeCallLog(calls);
  if (logged.length === 0) return undefined;
  const { id, startedAt } = request;
  return packSpans(toSpans(logged, { id, startedAt, begun, ended: performance.now() }))[0];
}

export function findRecording(request: ObservedRequest): Recording | undefined {
  return request[recordingKey];
}

export function discardFlight(recording: Recording): void {
  if (recording.flight.status !== 'none') recording.flight.bytes.discard();
  recording.flight = noFlight;
}

/** When a page is not found, another is rendered after it: the last stream of a request is its flight. */
export function tapRecording(
  recording: Recording,
  start: FlightStart,
  { budget, onEnd }: { budget: Budget; onEnd: () => void },
): FlightTap {
  discardFlight(recording);
  const bytes = createFlightBytes(budget, () => readElapsed(recording));
  const open = { status: 'open', start, bytes } as const;
  recording.flight = open;
  return {
    write: bytes.add,
    end(outcome, size) {
      if (recording.flight !== open) return;
      recording.flight = { ...open, status: 'ended', outcome, endedMs: readElapsed(recording), size };
      onEnd();
    },
  };
}

/** A redirect carries neither rows nor a document around them, whatever was rendered before it was thrown. */
export function isFlightSent({ status }: Answer): boolean {
  return status < 300 || status >= 400;
}

export function isFailure({ request, flight, answer }: Recording): boolean {
  const isBroken = flight.status === 'ended' && flight.outcome === 'failed';
  return isBroken || request.digests.length > 0 || (answer?.status ?? 0) >= 500;
}

/** Requests that had nothing to do with a page: files, routes of the API, addresses that do not exist. */
export function belongsToPage({ request, kind, flight }: Recording): boolean {
  return (
    flight.status === 'ended' || request.prerendered !== undefined || kind === 'action' || request.digests.length > 0
  );
}

type FlightBody = {
  readonly payload: readonly FlightChunk[];
  readonly debug: readonly FlightChunk[];
  readonly args: Uint8Array;
};

type Described = { readonly head: FlightHead; readonly body: FlightBody };

function describeRequest({ request, app, kind, build, headers, url, answer }: Recording) {
  const { names, secrets } = readQuery(url);
  const { action } = request;
  return {
    requestId: request.id,
    traceId: request.traceId,
    parent: request.parent ?? null,
    visit: readNamedVisit(headers),
    kind,
    method: request.method,
    path: request.path,
    query: names,
    build,
    status: answer?.status ?? 0,
    startedAt: request.startedAt,
    digests: request.digests,
    actionId: action?.id ?? null,
    actionType: action?.contentType ?? null,
    actionBytes: action?.body.byteLength ?? 0,
    secrets,
    hits: 1,
    lastAt: null,
    hitsBefore: 0,
    app,
    source: 'runtime' as const,
    sentBytes: null,
    knownFramework: null,
    knownDecodedBytes: null,
    knownFirstByteMs: null,
    knownFlightBytes: null,
    // What compresses our own answers comes after the recorder.
    codec: null,
    tabBuild: null,
    // Its headers come after the recorder, too.
    caching: null,
    fromPath: readFromPath(headers),
    trigger: readTrigger(kind, headers),
  };
}

/** A page from a file: no rows of its own. */
export function describePrerendered(recording: Recording, file: PrerenderedFile): FlightHead {
  const { request, answer } = recording;
  const ms = round(answer?.ms ?? 0);
  const bytes = answer?.status === 304 ? 0 : file.body.byteLength;
  return {
    ...describeRequest(recording),
    route: request.path,
    rendering: 'prerendered',
    content: recording.kind === 'document' ? 'html' : 'flight',
    outcome: 'complete',
    durationMs: ms,
    bytes,
    sentBytes: answer?.status === 304 ? 0 : (answer?.sentBytes ?? null),
    knownDecodedBytes: bytes,
    keptBytes: Math.min(file.body.byteLength, flightLimit),
    etag: file.etag,
    chunks: bytes === 0 ? [] : [[ms, bytes, 0]],
    elements: [],
    elided: [],
    debugBytes: 0,
  };
}

/** The file's content, unless the writer has it already. */
export function takeFileBody(file: PrerenderedFile, isNewEtag: (etag: string) => boolean): FlightBody {
  return { payload: isNewEtag(file.etag) ? [file.body.subarray(0, flightLimit)] : [], debug: [], args: nothing };
}

/** Milliseconds with two decimals: as exact as the clock, and short in JSON. */
function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

const noContent = { etag: null, bytes: 0, keptBytes: 0, debugBytes: 0, chunks: [], elements: [], elided: [] } as const;

function describeRendered(recording: Recording): Described {
  const { request, headers, flight, answer } = recording;
  const args = request.action?.body ?? nothing;
  const common = describeRequest(recording);
  if (flight.status !== 'ended') {
    const durationMs = round(answer?.ms ?? 0);
    return {
      head: {
        ...common,
        ...noContent,
        route: request.path,
        rendering: 'dynamic',
        content: 'none',
        outcome: 'none',
        durationMs,
      },
      body: { payload: [], debug: [], args },
    };
  }
  const { start, bytes, outcome, endedMs, size } = flight;
  const elements = start.elementIds;
  const sizes = bytes.bytes();
  return {
    head: {
      ...common,
      ...noContent,
      route: findRoute(elements, request.path),
      rendering: start.isStatic ? 'static' : 'dynamic',
      content: 'flight',
      outcome,
      durationMs: round(endedMs),
      bytes: sizes.payload,
      keptBytes: Math.min(sizes.payload, flightLimit),
      debugBytes: sizes.debug,
      chunks: bytes.times(),
      sentBytes: size?.transferred ?? null,
      knownDecodedBytes: size?.response ?? null,
      elements,
      // An action that renders nothing leaves nothing out.
      elided: elements.length === 0 ? [] : readKnownElements(headers).filter((id) => !elements.includes(id)),
    },
    body: { payload: bytes.payload(), debug: bytes.debug(), args },
  };
}

export function describeRecording(recording: Recording, isNewEtag: (etag: string) => boolean): Described {
  const file = recording.request.prerendered;
  if (!file || !recording.answer) return describeRendered(recording);
  return { head: describePrerendered(recording, file), body: takeFileBody(file, isNewEtag) };
}

import type { Framework } from '#flight';
import { createRequestId, readParent } from '#src/http/create-request-context.ts';
import { toSpanId } from '#src/telemetry/told.ts';

import type { FlightHead } from '../../flight-head.ts';
import { keepsSuccess } from '../../policy.ts';
import { readKnownElements, readQuery } from '../../request-facts.ts';
import type { Exchange, ExchangeFacts } from '../../watch/exchange.ts';
import { isPageRequest } from '../../watch/is-worth-watching.ts';
import { frameworkParameters } from '../../watch/look-at-request.ts';
import type { FlightEntry } from '../flight-values.ts';
import { decodeBody, type DecodedBody } from './decode-body.ts';
import { findPayloads, type Found, type Payload } from './find-payloads.ts';
import { findRendering } from './find-rendering.ts';
import { createVisits, type Place } from './guess-visits.ts';
import { readFailures, type Failures } from './read-digests.ts';
import { recogniseExchange, type Recognised } from './recognise-exchange.ts';
import { takeArguments, type Arguments } from './take-arguments.ts';

/**
 * A response of another app becomes flights: usually one, several where a page brings several payloads, none where it carries
 * no Flight and did not fail.
 */
export type DescribedExchange = {
  readonly entries: readonly FlightEntry[];
  /** Prefetches that this request shows to have been used. */
  readonly shown: ShownPages | undefined;
};

export type ShownPages = {
  readonly app: string;
  readonly visit: string;
  readonly paths: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
};

const nothing = new Uint8Array();
const outcomes = { complete: 'complete', broken: 'failed', left: 'left' } as const;

/** The whole answer, decoded; null when it was not read to its end. */
function countDecoded({ pieces, state }: DecodedBody, { facts, body }: Exchange): number | null {
  const isWhole = state === 'whole' && body.byteLength === facts.sentBytes;
  return isWhole ? pieces.reduce((sum, { bytes }) => sum + bytes.length, 0) : null;
}

function describeQuery(target: string): Pick<FlightHead, 'query' | 'secrets'> {
  const { names, secrets } = readQuery(`http://app${target}`);
  const own = names.split('&').filter((name) => !frameworkParameters.has(name));
  return { query: own.join('&'), secrets };
}

/** Without Flight in it, only what failed is kept, and what called an action. */
function isKeptWithoutFlight(facts: ExchangeFacts, { kind }: Recognised): boolean {
  const isAsked = facts.look.kind !== null || isPageRequest(facts.requestHeaders);
  if (facts.look.kind === 'action' && facts.look.actionId !== null) return true;
  const isFailed = facts.status >= 500 || facts.outcome === 'broken';
  return (isAsked && isFailed) || (facts.status === 304 && facts.look.kind !== null && kind !== 'document');
}

function knownHeaders({ requestHeaders }: ExchangeFacts) {
  return { get: (name: string) => requestHeaders[name] ?? null, has: (name: string) => name in requestHeaders };
}

type Described = {
  readonly exchange: Exchange;
  readonly recognised: Recognised;
  readonly failures: Failures;
  readonly place: Place;
  readonly decodedBytes: number | null;
};

function describeHead({ exchange, recognised, failures, place, decodedBytes }: Described): FlightHead {
  const { facts } = exchange;
  const { kind, framework, path, route, app, elements } = recognised;
  return {
    ...describeQuery(facts.target),
    requestId: facts.requestId,
    traceId: place.traceId,
    parent: readParent(facts.requestHeaders['traceparent']),
    visit: place.visit,
    kind,
    method: facts.method,
    path,
    route,
    build: '',
    status: facts.status,
    rendering: findRendering(kind, facts.responseHeaders, app),
    content: 'none',
    outcome: facts.outcome === 'complete' ? 'none' : outcomes[facts.outcome],
    startedAt: facts.startedAt,
    durationMs: facts.durationMs,
    bytes: 0,
    keptBytes: 0,
    digests: failures.digests,
    chunks: [],
    elements,
    elided: elements.length === 0 ? [] : readKnownElements(knownHeaders(facts)).filter((id) => !elements.includes(id)),
    actionId: facts.look.actionId,
    hits: 1,
    lastAt: null,
    hitsBefore: 0,
    app: facts.app,
    source: 'proxy',
    sentBytes: facts.sentBytes,
    knownFramework: framework,
    knownDecodedBytes: decodedBytes,
    knownFlightBytes: null,
    fromPath: place.fromPath,
    // No framework says it.
    trigger: null,
    etag: null,
    actionType: null,
    actionBytes: 0,
    debugBytes: 0,
  };
}

function withPayload(
  head: FlightHead,
  { bytes, total, chunks }: Payload,
  outcome: ExchangeFacts['outcome'],
): FlightHead {
  return { ...head, content: 'flight', outcome: outcomes[outcome], bytes: total, keptBytes: bytes.length, chunks };
}

function withArguments(head: FlightHead, taken: Arguments | undefined): FlightHead {
  if (!taken || head.kind !== 'action') return head;
  return {
    ...head,
    actionId: head.actionId ?? taken.actionId,
    actionType: taken.type,
    actionBytes: taken.bytes,
  };
}

/** The writer covers secrets in place: several flights of one answer must not share their bytes, nor those of the batch. */
function createEntry(head: FlightHead, payload: Uint8Array, args: Uint8Array): FlightEntry {
  return { head, payload: payload.slice(), debug: nothing, args };
}

function createEntries(described: Described, payloads: readonly Payload[]): FlightEntry[] {
  const { facts, args } = described.exchange;
  const taken = takeArguments(facts, args);
  const head = withArguments(describeHead(described), taken);
  const kept = head.kind === 'action' ? (taken?.args ?? nothing) : nothing;
  const [first, ...others] = payloads;
  if (!first) return [createEntry(head, nothing, kept)];
  const part: FlightHead = {
    ...head,
    kind: 'slice',
    digests: [],
    sentBytes: null,
    knownDecodedBytes: null,
    actionId: null,
    actionType: null,
  };
  return [
    createEntry(withPayload(head, first, facts.outcome), first.bytes, kept),
    ...others.map((other) => {
      const spanId = toSpanId(head.requestId);
      const parent = spanId === undefined ? null : `${head.traceId}-${spanId}`;
      const own = { ...part, requestId: createRequestId(facts.startedAt), parent };
      return createEntry(withPayload(own, other, facts.outcome), other.bytes, nothing);
    }),
  ];
}

/** Remembers visits from call to call. */
export function createExchangeReader(): (exchange: Exchange) => Promise<DescribedExchange> {
  const visits = createVisits();
  /** An app has one framework: where an exchange does not show it, an earlier one has. */
  const frameworks = new Map<string, Framework>();

  function recognise(facts: ExchangeFacts, found: Found): Recognised {
    const recognised = recogniseExchange(facts, found);
    const framework = recognised.framework ?? frameworks.get(facts.app) ?? null;
    if (framework !== null) frameworks.set(facts.app, framework);
    return { ...recognised, framework };
  }

  return async function describeExchange(exchange) {
    const { facts, body, times } = exchange;
    const decoded = await decodeBody(body, times, facts.responseHeaders['content-encoding']);
    const found = findPayloads(decoded.pieces, facts.responseHeaders['content-type'], facts.look.kind !== null);
    const recognised = recognise(facts, found);
    const { kind, path } = recognised;
    const hasFlight = found.payloads.length > 0;
    // Only what turned out to be a request of such an app says something of its visitors.
    if (!hasFlight && !isKeptWithoutFlight(facts, recognised)) return { entries: [], shown: undefined };
    const place = visits.place(facts, kind, path);
    const { visit, shown: paths, traceId } = place;
    const shown = paths.length === 0 ? undefined : { app: facts.app, visit, paths, at: facts.startedAt };
    const failures = readFailures(
      found.payloads.map(({ bytes }) => bytes),
      found.html,
    );
    const isFailed = failures.isFailed || facts.status >= 500 || facts.outcome === 'broken';
    if (!isFailed && !keepsSuccess(facts.policy, traceId)) return { entries: [], shown };
    const decodedBytes = countDecoded(decoded, exchange);
    return {
      entries: createEntries({ exchange, recognised, failures, place, decodedBytes }, found.payloads),
      shown,
    };
  };
}

import type { Framework } from '#flight';
import { createRequestId, readParent } from '#src/server/http/create-request-context.ts';
import { toSpanId } from '#src/flights/telemetry/exported.ts';

import { codecs } from '../../flight/flight-columns.ts';
import type { ForgedTry } from '../../flight/forged-try.ts';
import type { FlightHead } from '../../flight/flight-head.ts';
import { keepsSuccess } from '#src/apps/policy.ts';
import { readKnownElements, readQuery } from '../../flight/request-facts.ts';
import type { Exchange, ExchangeFacts } from '../../watch/exchange.ts';
import { isBuiltFile, isPageRequest, isWorthWatching } from '../../watch/is-worth-watching.ts';
import { frameworkParameters } from '../../watch/look-at-request.ts';
import type { FlightEntry } from '../flight-values.ts';
import { rememberIn } from '../prepare.ts';
import { describeCaching } from './describe-caching.ts';
import { decodeBody, type DecodedBody } from './decode-body.ts';
import { findPayloads, type Found, type Payload } from './find-payloads.ts';
import { describeStranger, findTry } from './find-try.ts';
import { findRendering } from './find-rendering.ts';
import { createVisits, type Learnt, type Place } from './guess-visits.ts';
import { readFailures, type Failures } from './read-digests.ts';
import { recogniseExchange, type Recognised } from './recognise-exchange.ts';
import { createTabBuilds, ofNoTab, saysNotFound, type TabBuild } from './tab-builds.ts';
import { takeArguments, type Arguments } from './take-arguments.ts';

/**
 * A response of another app becomes flights: usually one, several where a page brings several payloads, none where it carries
 * no Flight and did not fail.
 */
export type DescribedExchange = {
  /** Not the beginning of one that will end. */
  readonly isAnswered: boolean;
  readonly entries: readonly FlightEntry[];
  /** What this request says of earlier prefetches. */
  readonly learnt: LearntAt | undefined;
  /** A request that no client of React could have written. */
  readonly tried?: ForgedTry | undefined;
};

export type LearntAt = Learnt & {
  /** Milliseconds since 1970. */
  readonly at: number;
};

const nothing = new Uint8Array();
const outcomes = { begun: 'none', complete: 'complete', broken: 'failed', left: 'left' } as const;

/** The whole answer, decoded; null when it was not read to its end. */
function countDecoded({ pieces, state }: DecodedBody, { facts, body }: Exchange): number | null {
  const isWhole = state === 'whole' && body.byteLength === facts.sentBytes;
  return isWhole ? pieces.reduce((sum, { bytes }) => sum + bytes.length, 0) : null;
}

/**
 * Of a response that is longer than what is read of it: it was sent as it is, and what was read is Flight alone, so the rest is.
 * @returns the exchange's payload with its whole size; undefined where this is not so
 */
function measureLong({ body, facts }: Exchange, { payloads }: Found): Payload | undefined {
  const [payload] = payloads;
  const isLong = readCodec(facts) === 'identity' && facts.sentBytes > body.byteLength;
  const isAlone = payload !== undefined && payloads.length === 1 && payload.total === body.byteLength;
  return isLong && isAlone ? { ...payload, total: facts.sentBytes } : undefined;
}

/** A page or a payload of which nothing could be read. What an app's own endpoints answer is not looked for. */
function isLost({ pieces, state }: DecodedBody, { facts, body }: Exchange): boolean {
  const isAsked = facts.look.kind !== null || isPageRequest(facts.requestHeaders);
  return state === 'unreadable' && pieces.length === 0 && body.length > 0 && isAsked;
}

function describeLost({ responseHeaders }: ExchangeFacts): string {
  return `An answer could not be decompressed: its Content-Encoding is ${responseHeaders['content-encoding']}`;
}

function describeQuery(target: string): Pick<FlightHead, 'query' | 'secrets'> {
  const { names, secrets } = readQuery(`http://app${target}`);
  const own = names.split('&').filter((name) => !frameworkParameters.has(name));
  return { query: own.join('&'), secrets };
}

/** Says whether an exchange without Flight is kept: only what failed, and what called an action. */
function isKeptWithoutFlight({ facts, args }: Exchange, { kind }: Recognised): boolean {
  const isAsked = facts.look.kind !== null || isPageRequest(facts.requestHeaders);
  if (facts.look.kind === 'action' && facts.look.actionId !== null) return true;
  // A form that was sent without JavaScript, and that its action answered by leading elsewhere, or whose action is gone.
  const isAnswered = (facts.status >= 300 && facts.status < 400) || saysNotFound(facts);
  if (kind === 'action' && isAnswered && typeof takeArguments(facts, args)?.actionId === 'string') return true;
  if (facts.status >= 500) return true;
  return (
    (isAsked && facts.outcome === 'broken') || (facts.status === 304 && facts.look.kind !== null && kind !== 'document')
  );
}

function knownHeaders({ requestHeaders }: ExchangeFacts) {
  return { get: (name: string) => requestHeaders[name] ?? null, has: (name: string) => name in requestHeaders };
}

function readCodec({ status, responseHeaders }: ExchangeFacts): FlightHead['codec'] {
  // Without a body nothing was compressed, and nothing was not.
  if (status === 0 || status === 304) return null;
  const named = responseHeaders['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return named === 'none' ? 'identity' : (codecs.find((codec) => codec === named) ?? null);
}

/** Longer than any id: as long as an error's release. */
const longestBuild = 200;

type Described = {
  readonly exchange: Exchange;
  readonly recognised: Recognised;
  readonly failures: Failures;
  readonly place: Place;
  readonly tab: TabBuild;
  readonly decodedBytes: number | null;
};

function describeHead({ exchange, recognised, failures, place, tab, decodedBytes }: Described): FlightHead {
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
    build: (tab.build || facts.release).slice(0, longestBuild),
    tabBuild: tab.tabBuild?.slice(0, longestBuild) ?? null,
    caching: describeCaching(facts, kind, framework),
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
    knownFirstByteMs: exchange.times[0] ?? null,
    knownFlightBytes: null,
    codec: readCodec(facts),
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
    knownFirstByteMs: null,
    actionId: null,
    actionType: null,
    tabBuild: null,
    caching: null,
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

const unseen: DescribedExchange = { isAnswered: true, entries: [], learnt: undefined };

function dateLearnt(learnt: Learnt, { startedAt }: ExchangeFacts): LearntAt | undefined {
  const isSome = Object.values(learnt).some((ids) => ids.length > 0);
  return isSome ? { ...learnt, at: startedAt } : undefined;
}

/** Pages of all apps. */
const pagesLimit = 2_000;

/** Remembers visits and pages from call to call. */
export function createExchangeReader(): (exchange: Exchange) => Promise<DescribedExchange> {
  const visits = createVisits();
  const tabBuilds = createTabBuilds();
  /** Routes of pages that carried Flight: where the browser has a copy, only headers are sent, and nothing in them says so. */
  const pages = new Map<string, string>();
  /** Patterns by path: what is fetched beside a page, for a slot of its own, does not say its page's. */
  const routes = new Map<string, string>();
  /** An app has one framework: where an exchange does not show it, an earlier one has. */
  const frameworks = new Map<string, Framework>();

  function recognise(facts: ExchangeFacts, found: Found): Recognised {
    const recognised = recogniseExchange(facts, found);
    const { path, route: own, app } = recognised;
    const framework = recognised.framework ?? frameworks.get(facts.app) ?? null;
    if (framework !== null) frameworks.set(facts.app, framework);
    const key = `${facts.app} ${path}`;
    if (app?.route !== undefined && own === app.route) rememberIn(routes, key, own, pagesLimit);
    const isUnnamed = app !== undefined && app.route !== own && own === path;
    return { ...recognised, framework, route: isUnnamed ? (routes.get(key) ?? own) : own };
  }

  /** @returns what it is, with what an earlier answer has shown; undefined where it is no answer of a page with Flight */
  function recognisePage(exchange: Exchange, found: Found): Recognised | undefined {
    const { facts } = exchange;
    const recognised = recognise(facts, found);
    const key = `${facts.app} ${recognised.path}`;
    if (found.payloads.length > 0) {
      const { kind } = recognised;
      const isOfPage = kind === 'navigation' || kind === 'prefetch' || kind === 'navigation-or-prefetch';
      if (kind === 'document' || (isOfPage && !pages.has(key))) rememberIn(pages, key, recognised.route, pagesLimit);
      return recognised;
    }
    const route = facts.status === 304 && recognised.kind === 'document' ? pages.get(key) : undefined;
    if (route !== undefined) return { ...recognised, route };
    return isKeptWithoutFlight(exchange, recognised) ? recognised : undefined;
  }

  /** A script or a style sheet that is gone is worth knowing where a tab of another build asks for it. */
  function describeFile(exchange: Exchange): DescribedExchange {
    const { facts } = exchange;
    const place = visits.find(facts);
    const tab = place && tabBuilds.readOfFile(facts, place);
    if (!tab) return unseen;
    const { path } = facts.look;
    const framework = frameworks.get(facts.app) ?? null;
    const file = {
      kind: 'other',
      framework,
      path,
      route: path,
      app: undefined,
      build: undefined,
      isDeployment: false,
      elements: [],
    } as const;
    const failures = { digests: [], isFailed: true };
    const described = { exchange, recognised: file, failures, place, tab, decodedBytes: null };
    return { ...unseen, entries: createEntries(described, []) };
  }

  return async function describeExchange(exchange) {
    const { facts, body, times } = exchange;
    if (facts.outcome === 'begun') {
      const { path, kind } = facts.look;
      return {
        isAnswered: false,
        entries: [],
        learnt: dateLearnt(visits.begin(facts, { path, kind: kind ?? 'document' }), facts),
      };
    }
    const { method, target, requestHeaders } = facts;
    const isGoneFile = facts.status === 404 && isBuiltFile(method, target);
    if (isGoneFile && !isWorthWatching(method, target, requestHeaders)) return describeFile(exchange);
    const forged = findTry(exchange);
    const decoded = await decodeBody(body, times, facts.responseHeaders['content-encoding']);
    const found = findPayloads(decoded.pieces, facts.responseHeaders['content-type'], facts.look.kind !== null);
    const recognised = recognisePage(exchange, found);
    // Only what turned out to be a request of such an app says something of its visitors.
    if (!recognised) {
      if (isLost(decoded, exchange)) throw new Error(describeLost(facts));
      return { ...unseen, tried: forged };
    }
    const { kind, path } = recognised;
    const rendering = findRendering(kind, facts.responseHeaders, recognised.app);
    const place = visits.place(facts, { kind, path, rendering });
    const learnt = dateLearnt(place.learnt, facts);
    // What no client of React wrote came from no tab, whatever page was loaded before it, and says nothing of builds.
    const tab = forged
      ? ofNoTab(recognised.build)
      : tabBuilds.read(facts, recognised, place, found.payloads.length > 0);
    const tried = forged ?? (tab.isStranger ? describeStranger(exchange) : undefined);
    const failures = readFailures(
      found.payloads.map(({ bytes }) => bytes),
      found.html,
    );
    const isFailed = failures.isFailed || facts.status >= 500 || facts.outcome === 'broken' || tab.tabBuild !== null;
    if (!isFailed && !keepsSuccess(facts.policy, place.traceId)) {
      return { isAnswered: true, entries: [], learnt, tried };
    }
    const long = measureLong(exchange, found);
    const decodedBytes = long?.total ?? countDecoded(decoded, exchange);
    return {
      isAnswered: true,
      entries: createEntries(
        { exchange, recognised, failures, place, tab, decodedBytes },
        long ? [long] : found.payloads,
      ),
      learnt,
      tried,
    };
  };
}

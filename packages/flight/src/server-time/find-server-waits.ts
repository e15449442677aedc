import { findRowCause } from './find-row-cause.ts';
import type { ShellWait } from './read-shell-waits.ts';
import type { PlacedSpan, ServerTime } from './server-time.ts';

/**
 * What stands out in a server's time: said only where the times show it. Whether one request needs another's answer they do not show,
 * so that is said as a question. A component's code shows more of it (PlacedSpan.isFree).
 */
export type ServerWait =
  /** What the page could not be shown without came late; `span` is what it perhaps waited for, by its time alone. */
  | {
      readonly kind: 'holds-shell';
      readonly wait: ShellWait;
      readonly span: PlacedSpan;
      /** Of a component, what took most of its time. */
      readonly inner: PlacedSpan | undefined;
      /** Of a request, the component that sent it. */
      readonly by: PlacedSpan | undefined;
    }
  /** The longest request, or wait of a component in which no request was seen, and its share of the whole. */
  | {
      readonly kind: 'longest';
      readonly span: PlacedSpan;
      readonly share: number;
      readonly by: PlacedSpan | undefined;
    }
  /** Requests of one span, each begun when the one before had ended. `atLeastMs`: the longest of them. */
  | { readonly kind: 'in-turn'; readonly spans: readonly PlacedSpan[]; readonly ms: number; readonly atLeastMs: number }
  /** A component's waits, none of which uses what another one gave, as far as its code shows. */
  | {
      readonly kind: 'waits-in-turn';
      readonly by: PlacedSpan;
      readonly spans: readonly PlacedSpan[];
      readonly ms: number;
      readonly atLeastMs: number;
    }
  /** The same was asked several times. `by`: the components that asked, each once. */
  | {
      readonly kind: 'repeated';
      readonly name: string;
      readonly count: number;
      readonly ms: number;
      readonly by: readonly PlacedSpan[];
    };

/** What is shorter nobody notices in a page. */
const noticedMs = 20;
/** From the end of one to the begin of the next: what code does with an answer, and senders that round to milliseconds. */
const betweenMs = 5;
/** Next.js ends a request's span after the code that awaits it went on: on a busy machine by as much of the span. */
const overlapShare = 0.1;
/** A request that takes less of the whole does not decide it. */
const noticedShare = 0.3;

export function isRequest({ kind }: PlacedSpan): boolean {
  return kind === 'client';
}

export function isCall({ kind }: PlacedSpan): boolean {
  return kind === 'component' || kind === 'function';
}

type Walked = {
  /** The spans right within each span, in the order in which they began. */
  readonly siblings: readonly (readonly PlacedSpan[])[];
  readonly parents: ReadonlyMap<PlacedSpan, PlacedSpan>;
};

/** A span comes before those within it. */
function walk(spans: readonly PlacedSpan[]): Walked {
  const open: PlacedSpan[][] = [];
  const siblings: PlacedSpan[][] = [];
  const parents = new Map<PlacedSpan, PlacedSpan>();
  for (const span of spans) {
    open.length = span.depth + 1;
    const beside = open[span.depth] ?? [];
    if (beside.length === 0) siblings.push(beside);
    beside.push(span);
    open[span.depth] = beside;
    // What is between may be too short to be shown.
    const parent = open.slice(0, span.depth).findLast(Boolean)?.at(-1);
    if (parent) parents.set(span, parent);
  }
  return { siblings, parents };
}

type CallOf = (span: PlacedSpan) => PlacedSpan | undefined;

function climb(parents: Walked['parents']): CallOf {
  return (span) => {
    let within = parents.get(span);
    while (within && !isCall(within)) within = parents.get(within);
    return within;
  };
}

/** The component or server function that a span is within: the innermost. */
export function findCalls(spans: readonly PlacedSpan[]): CallOf {
  return climb(walk(spans).parents);
}

/** A request that has requests within it, as a framework's around the client's, is the same request. */
function listRequests(spans: readonly PlacedSpan[]): PlacedSpan[] {
  const requests: PlacedSpan[] = [];
  let within: PlacedSpan | undefined;
  for (const span of spans) {
    if (within && span.depth > within.depth) continue;
    within = isRequest(span) ? span : undefined;
    if (within) requests.push(within);
  }
  return requests;
}

/** A database's client may tell nobody what it asks. */
function listBareWaits(spans: readonly PlacedSpan[]): PlacedSpan[] {
  return spans.filter(({ kind, depth }, index) => kind === 'wait' && (spans[index + 1]?.depth ?? 0) <= depth);
}

function measure(spans: readonly PlacedSpan[]): { ms: number; atLeastMs: number } | undefined {
  const ms = spans.reduce((sum, span) => sum + span.ms, 0);
  const atLeastMs = Math.max(...spans.map((span) => span.ms));
  return spans.length > 1 && ms - atLeastMs >= noticedMs ? { ms, atLeastMs } : undefined;
}

function findInTurn(siblings: readonly PlacedSpan[]): ServerWait[] {
  const chains: PlacedSpan[][] = [];
  for (const span of siblings.filter(isRequest)) {
    const last = chains.at(-1)?.at(-1);
    const gap = last === undefined ? Number.NaN : span.at - (last.at + last.ms);
    const overlapMs = betweenMs + (last?.ms ?? 0) * overlapShare;
    if (gap >= -overlapMs && gap <= betweenMs) chains.at(-1)?.push(span);
    else chains.push([span]);
  }
  return chains.flatMap((spans) => {
    const times = measure(spans);
    return times ? [{ kind: 'in-turn', spans, ...times } as const] : [];
  });
}

/** A function waits for one thing after the other, so all of its waits are in turn. */
function findWaitsInTurn(siblings: readonly PlacedSpan[], by: PlacedSpan | undefined): ServerWait[] {
  const spans = siblings.filter(({ kind, isFree }) => kind === 'wait' && isFree);
  const times = measure(spans);
  return by && times ? [{ kind: 'waits-in-turn', by, spans, ...times }] : [];
}

function findRepeated(requests: readonly PlacedSpan[], callOf: CallOf): ServerWait[] {
  const byName = new Map<string, PlacedSpan[]>();
  for (const request of requests) byName.set(request.name, [...(byName.get(request.name) ?? []), request]);
  return Array.from(byName, ([name, spans]) => {
    const ms = spans.reduce((sum, span) => sum + span.ms, 0);
    const calls = spans.flatMap((span) => callOf(span) ?? []);
    const by = [...new Map(calls.map((call) => [call.place, call])).values()];
    return { kind: 'repeated', name, count: spans.length, ms, by } as const;
  }).filter(({ count }) => count > 1);
}

/** Components, and what they or others waited for. Where all times were guessed, nothing is guessed from them. */
function findShellHolders({ spans, movedMs }: ServerTime, shell: readonly ShellWait[], callOf: CallOf): ServerWait[] {
  if (movedMs !== 0) return [];
  const asked = [...listRequests(spans), ...listBareWaits(spans)].toSorted((a, b) => b.ms - a.ms);
  const causes = [...spans.filter(isCall), ...asked].map((span) => {
    return { name: span.name, from: span.at, until: span.at + span.ms, span };
  });
  return shell.flatMap((wait): ServerWait[] => {
    const span = findRowCause(causes, wait.from, wait.until)?.span;
    if (!span) return [];
    const by = callOf(span);
    // The first row of an action's answer, or of what awaits before it renders, is late by no component.
    if (wait.kind === 'first' && ![span, by].some((one) => one?.kind === 'component')) return [];
    const inner = asked.find((one) => callOf(one) === span && one.ms >= span.ms / 2);
    return [{ kind: 'holds-shell', wait, span, inner, by }];
  });
}

/** @param shell what of the flight came late that its page could not be shown without */
export function findServerWaits(time: ServerTime, shell: readonly ShellWait[] = []): ServerWait[] {
  const { spans } = time;
  const requests = listRequests(spans);
  const { siblings, parents } = walk(spans);
  const callOf = climb(parents);
  const from = Math.min(...spans.map(({ at }) => at));
  const wholeMs = Math.max(...spans.map(({ at, ms }) => at + ms)) - from;
  const [span] = [...requests, ...listBareWaits(spans)].toSorted((a, b) => b.ms - a.ms);
  const share = span && wholeMs > 0 ? span.ms / wholeMs : 0;
  const longest =
    span && span.ms >= noticedMs && share >= noticedShare
      ? [{ kind: 'longest', span, share, by: callOf(span) } as const]
      : [];
  const inTurn = siblings.flatMap((beside) => {
    const [first] = beside;
    return [...findInTurn(beside), ...findWaitsInTurn(beside, first && parents.get(first))];
  });
  return [...findShellHolders(time, shell, callOf), ...longest, ...inTurn, ...findRepeated(requests, callOf)];
}

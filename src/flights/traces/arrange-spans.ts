import { spansShown, type PlacedSpan, type ServerTime } from '#flight';

import type { Span } from './span.ts';

/** How long both went on together. */
function overlap(a: Span, b: Span): number {
  return Math.min(a.startedAt + a.ms, b.startedAt + b.ms) - Math.max(a.startedAt, b.startedAt);
}

/**
 * A component tells its waits and its requests side by side: when it asks, it has not said yet that it waits. Here each request moves
 * into the wait that it went on in for the longest. Without one nobody waited for it there: it was handed on.
 */
function nestRequests(spans: readonly Span[]): Span[] {
  const waits = Map.groupBy(
    spans.filter(({ kind }) => kind === 'wait'),
    ({ parent }) => parent,
  );
  return spans.map((span) => {
    if (span.kind !== 'client') return span;
    let [longest, parent] = [0, span.parent];
    for (const wait of waits.get(span.parent) ?? []) {
      const shared = overlap(span, wait);
      if (shared > longest) [longest, parent] = [shared, wait.id];
    }
    return { ...span, parent };
  });
}

/** Two processes of one machine have one clock; what lies further outside is another's. */
const clockMs = 5;

type Flight = { readonly requestId: string; readonly startedAt: number; readonly durationMs: number };

/** Time in which at least one of the spans was going on, each within `from` and `to`. */
function coverTime(spans: readonly Span[], from: number, to: number): number {
  let covered = 0;
  let end = from;
  for (const { startedAt, ms } of spans.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const until = Math.min(startedAt + ms, to);
    if (until <= end) continue;
    covered += until - Math.max(startedAt, end);
    end = until;
  }
  return covered;
}

function groupByParent(spans: readonly Span[]): { roots: Span[]; within: ReadonlyMap<string, Span[]> } {
  const known = new Set(spans.map(({ id }) => id));
  const within = new Map<string, Span[]>();
  const roots: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.startedAt - b.startedAt || b.ms - a.ms)) {
    // A span that names itself, or one that never came, is a first one.
    if (!known.has(span.parent) || span.parent === span.id) roots.push(span);
    else {
      const inner = within.get(span.parent);
      if (inner) inner.push(span);
      else within.set(span.parent, [span]);
    }
  }
  return { roots, within };
}

function isToldByCode({ traceId }: Span, requestId: string): boolean {
  return traceId === requestId;
}

/** What began while the flight was answered; where nothing did, the clocks differ, and one root alone can be nothing else. */
function chooseRoots(
  roots: readonly Span[],
  { requestId, startedAt, durationMs }: Flight,
): { chosen: readonly Span[]; moved: number } {
  const [from, to] = [startedAt - clockMs, startedAt + durationMs + clockMs];
  const chosen = roots.filter(
    (root) => isToldByCode(root, requestId) || (root.startedAt >= from && root.startedAt <= to),
  );
  if (chosen.length > 0) return { chosen, moved: 0 };
  const [only] = roots;
  return only && roots.length === 1 ? { chosen: [only], moved: startedAt - only.startedAt } : { chosen: [], moved: 0 };
}

/**
 * Spans of a trace, put under the flight that they were done for. A trace may have several requests: those of a page's other parts, or
 * of whoever asked for it. So what belongs to a flight is found by time: its spans begin while it is answered. What timed code told
 * (to-spans.ts) has the flight's own id for a trace, and is all of it the flight's.
 */
export function arrangeSpans(all: readonly Span[], flight: Flight): ServerTime | undefined {
  const spans = [...new Map(all.map((span) => [span.id, span])).values()];
  const { roots, within } = groupByParent(nestRequests(spans));
  const { chosen, moved } = chooseRoots(roots, flight);
  const placed: PlacedSpan[] = [];
  // A list and no recursion: a sender decides how deep its spans are.
  const waiting = chosen.map((span) => ({ span, depth: 0 })).toReversed();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { span, depth } = next;
    const inner = within.get(span.id) ?? [];
    const { traceId: _trace, id: _id, parent: _parent, startedAt, ...told } = span;
    const ownMs = span.ms - coverTime(inner, startedAt, startedAt + span.ms);
    placed.push({ ...told, at: startedAt + moved - flight.startedAt, depth, ownMs });
    waiting.push(...inner.map((one) => ({ span: one, depth: depth + 1 })).toReversed());
  }
  if (placed.length === 0) return undefined;
  const shown = new Set(placed.toSorted((a, b) => b.ms - a.ms).slice(0, spansShown));
  const tellers = (['code', 'opentelemetry'] as const).filter((teller) =>
    chosen.some((root) => isToldByCode(root, flight.requestId) === (teller === 'code')),
  );
  return { spans: placed.filter((span) => shown.has(span)), left: placed.length - shown.size, movedMs: moved, tellers };
}

import type { Span } from './span.ts';

/** How long both went on together. */
function overlap(a: Span, b: Span): number {
  return Math.min(a.startedAt + a.ms, b.startedAt + b.ms) - Math.max(a.startedAt, b.startedAt);
}

/**
 * A component tells its waits and its requests side by side: when it asks, it has not said yet that it waits. Here each request moves
 * into the wait that it went on in for the longest. Without one nobody waited for it there: it was handed on.
 */
export function nestRequests(spans: readonly Span[]): Span[] {
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

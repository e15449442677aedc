import type { LoggedCall } from '#src/runtime/timing/call-log.ts';

import type { Span } from './span.ts';

/** A request, by its two clocks: the one of its flight, and the one of the calls. */
type Request = {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The same moment, in milliseconds since the process started. */
  readonly begun: number;
  /** When it was answered, by the same clock. */
  readonly ended: number;
};

function toSpanId(id: number): string {
  return id.toString(16).padStart(16, '0');
}

/**
 * What timed code logged for a request, as spans. Their trace is the request's own id: so they are this flight's and no other's, where
 * a trace has all requests of a visit.
 */
export function toSpans(calls: readonly LoggedCall[], { id: traceId, startedAt, begun, ended }: Request): Span[] {
  const known = new Set(calls.map(({ id }) => id));
  return calls.map(({ id, parent, kind, name, place, from, until, hasFailed, isFree }) => ({
    traceId,
    id: toSpanId(id),
    // Who called it may have been too short to be told.
    parent: known.has(parent) ? toSpanId(parent) : '',
    name,
    kind,
    startedAt: startedAt + from - begun,
    ms: Math.max(0, (until ?? ended) - from),
    hasFailed,
    isOpen: until === undefined,
    isFree,
    place,
  }));
}

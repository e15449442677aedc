import { spanKinds } from '#flight';

import type { Span } from './span.ts';

/**
 * Spans as they are kept: those of one trace that came together are one row, since nobody asks for one of them alone, and together they
 * become small: a page of Next.js with twenty spans is 600 bytes.
 */
export type TracePart = {
  readonly traceId: string;
  /** The first span's id: a batch that is sent again has the same. */
  readonly first: string;
  /** JSON: a list for each span. */
  readonly text: string;
};

type States = Pick<Span, 'hasFailed' | 'isOpen' | 'isFree'>;

const bits = { hasFailed: 1, isOpen: 2, isFree: 4 } as const;

function packStates({ hasFailed, isOpen, isFree }: States): number {
  return (hasFailed ? bits.hasFailed : 0) | (isOpen ? bits.isOpen : 0) | (isFree ? bits.isFree : 0);
}

function unpackStates(states: unknown): States {
  const set = typeof states === 'number' ? states : 0;
  return {
    hasFailed: (set & bits.hasFailed) > 0,
    ...((set & bits.isOpen) > 0 ? { isOpen: true } : {}),
    ...((set & bits.isFree) > 0 ? { isFree: true } : {}),
  };
}

export function packSpans(spans: readonly Span[]): TracePart[] {
  const byTrace = new Map<string, Span[]>();
  for (const span of spans) {
    const others = byTrace.get(span.traceId);
    if (others) others.push(span);
    else byTrace.set(span.traceId, [span]);
  }
  return Array.from(byTrace, ([traceId, ofTrace]) => {
    const rows = ofTrace.map(({ id, parent, name, kind, startedAt, ms, place, ...states }) => {
      // Whole microseconds: what is behind them is an error of the arithmetic.
      const times = [startedAt, ms].map((time) => Math.round(time * 1e3) / 1e3);
      const row = [id, parent, name, spanKinds.indexOf(kind), ...times, packStates(states)];
      return place === undefined ? row : [...row, place];
    });
    return { traceId, first: ofTrace[0]?.id ?? '', text: JSON.stringify(rows) };
  });
}

/** The other way. The recorder alone writes such a text; a row that is none is left out. */
export function unpackSpans(traceId: string, text: string): Span[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown) => {
    if (!Array.isArray(row)) return [];
    const [id, parent, name, kind, startedAt, ms, states, place]: unknown[] = row;
    if (typeof id !== 'string' || typeof parent !== 'string' || typeof name !== 'string') return [];
    if (typeof startedAt !== 'number' || typeof ms !== 'number') return [];
    const kindName = typeof kind === 'number' ? spanKinds[kind] : undefined;
    const span = { traceId, id, parent, name, kind: kindName ?? 'internal', startedAt, ms, ...unpackStates(states) };
    return [typeof place === 'string' ? { ...span, place } : span];
  });
}

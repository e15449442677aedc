import { describe, expect, it } from 'vitest';

import { arrangeSpans } from './arrange-spans.ts';
import { packSpans, unpackSpans } from './pack-spans.ts';
import type { Span } from './span.ts';

const traceId = 'a'.repeat(32);
const began = 1_795_233_600_000;
const requestId = 'c'.repeat(32);
const flight = { requestId, startedAt: began, durationMs: 900 };

function span(id: string, at: number, ms: number, more: Partial<Span> = {}): Span {
  const full = id.padStart(16, '0');
  return {
    traceId,
    id: full,
    parent: '',
    name: id,
    kind: 'internal',
    startedAt: began + at,
    ms,
    hasFailed: false,
    ...more,
  };
}

function within(id: string): Pick<Span, 'parent'> {
  return { parent: id.padStart(16, '0') };
}

function show(spans: readonly Span[], of = flight) {
  return arrangeSpans(spans, of)?.spans.map(({ name, at, ms, depth, ownMs }) => [name, at, ms, depth, ownMs].join(' '));
}

describe('spans of a flight', () => {
  it('are in their order, each under the one that it is within, with the time of its own', () => {
    const spans = [
      span('c', 20, 500, within('b')),
      span('a', 1, 800),
      span('d', 600, 100, within('a')),
      span('b', 10, 520, within('a')),
    ];
    expect(show(spans)).toEqual(['a 1 800 0 180', 'b 10 520 1 20', 'c 20 500 2 500', 'd 600 100 1 100']);
  });

  it('count time once in which several went on', () => {
    const spans = [
      span('a', 0, 100),
      span('b', 10, 50, within('a')),
      span('c', 20, 60, within('a')),
      span('d', 90, 50, within('a')),
    ];
    // From 10 to 80, and from 90 to the end of `a`.
    expect(show(spans)?.[0]).toBe('a 0 100 0 20');
  });

  it('begin anew where the span around them never came, and where one names itself', () => {
    expect(show([span('a', 1, 8, within('f')), span('b', 2, 3, within('b'))])).toEqual(['a 1 8 0 8', 'b 2 3 0 3']);
  });

  it('are those that began while it was answered', () => {
    const spans = [span('before', -300, 200), span('a', 100, 20), span('after', 950, 20)];
    expect(show(spans)).toEqual(['a 100 20 0 20']);
    expect(arrangeSpans([span('x', -300, 1), span('y', -200, 1)], flight)).toBeUndefined();
    expect(arrangeSpans([], flight)).toBeUndefined();
  });

  it('are moved where the other clock is another one', () => {
    const other = arrangeSpans([span('a', -60_000, 800), span('b', -59_900, 300, within('a'))], flight);
    expect(other?.movedMs).toBe(60_000);
    expect(other?.spans.map(({ at }) => at)).toEqual([0, 100]);
  });

  it('are the longest, where there are too many', () => {
    const many = Array.from({ length: 300 }, (_, index) => span(String(index), index, index));
    const shown = arrangeSpans(many, flight);
    expect([shown?.spans.length, shown?.left, shown?.spans[0]?.ms]).toEqual([200, 100, 100]);
  });

  it('are the same after they were kept, and one that was sent twice is one', () => {
    const spans = [span('a', 1, 800.125, { kind: 'server', hasFailed: true }), span('b', 2, 5, within('a'))];
    const [part, ...others] = packSpans(spans);
    expect(others).toEqual([]);
    expect(part?.first).toBe(spans[0]?.id);
    const read = unpackSpans(traceId, part?.text ?? '');
    expect(read).toEqual(spans);
    expect(show([...read, ...read])).toHaveLength(2);
    expect(packSpans([...spans, span('c', 1, 1, { traceId: 'b'.repeat(32) })])).toHaveLength(2);
  });

  it('are all that its own code told, whenever, and no other request’s of the trace', () => {
    const own = { traceId: requestId };
    const spans = [span('a', -900, 20, { ...own, kind: 'component' }), span('b', 10, 5)];
    expect(show(spans)).toEqual(['a -900 20 0 20', 'b 10 5 0 5']);
    expect(arrangeSpans(spans, flight)?.tellers).toEqual(['code', 'opentelemetry']);
    expect(arrangeSpans(spans.slice(0, 1), flight)?.tellers).toEqual(['code']);
    expect(arrangeSpans(spans.slice(1), flight)?.tellers).toEqual(['opentelemetry']);
    const other = [span('a', -900, 20, { traceId: 'd'.repeat(32) }), ...spans.slice(1)];
    expect(show(other)).toEqual(['b 10 5 0 5']);
  });

  it('have their requests in the wait that these went on in, and one that nobody waited for in the component', () => {
    const spans = [
      span('c', 0, 300, { kind: 'component' }),
      span('w1', 10, 100, { kind: 'wait', ...within('c') }),
      span('w2', 110, 100, { kind: 'wait', ...within('c') }),
      span('q1', 9, 100, { kind: 'client', ...within('c') }),
      span('q2', 90, 110, { kind: 'client', ...within('c') }),
      span('q3', 220, 400, { kind: 'client', ...within('c') }),
    ];
    expect(show(spans)).toEqual([
      'c 0 300 0 20',
      'w1 10 100 1 1',
      'q1 9 100 2 100',
      'w2 110 100 1 10',
      'q2 90 110 2 110',
      'q3 220 400 1 400',
    ]);
  });

  it('keep where they are written, and what else is told of them', () => {
    const spans = [
      span('a', 0, 30, { kind: 'component', place: 'src/a.tsx:3', isOpen: true }),
      span('b', 1, 2, { kind: 'wait', place: 'src/a.tsx:4', isFree: true, ...within('a') }),
    ];
    expect(unpackSpans(traceId, packSpans(spans)[0]?.text ?? '')).toEqual(spans);
  });
});

import { expect, it } from 'vitest';

import type { LoggedCall } from '#src/runtime/timing/call-log.ts';

import { toSpans } from './to-spans.ts';

const of = { id: 'c'.repeat(32), startedAt: 1_795_233_600_000, begun: 5_000, ended: 5_900 };

function call(id: number, parent: number, from: number, until: number | undefined): LoggedCall {
  return { id, parent, kind: 'client', name: 'GET a', place: undefined, from, until, hasFailed: false, isFree: false };
}

it('gives calls the flight’s id and clock, and no parent that was too short to be told', () => {
  const spans = toSpans([call(1, 0, 5_010, 5_030), call(17, 1, 5_020, undefined), call(3, 2, 5_000, 5_001)], of);
  expect(
    spans.map(({ traceId, id, parent, startedAt, ms, isOpen }) => [traceId, id, parent, startedAt, ms, isOpen]),
  ).toEqual([
    [of.id, '0000000000000001', '', of.startedAt + 10, 20, false],
    [of.id, '0000000000000011', '0000000000000001', of.startedAt + 20, 880, true],
    [of.id, '0000000000000003', '', of.startedAt, 1, false],
  ]);
});

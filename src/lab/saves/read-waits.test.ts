import { expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { readWaits } from './read-waits.ts';

const encoder = new TextEncoder();

/** One row in each chunk, with the time at which it came. */
function read(...rows: readonly (readonly [ms: number, row: string])[]) {
  const bytes = encoder.encode(rows.map(([, row]) => `${row}\n`).join(''));
  const chunks = rows.map(([ms, row]) => ({ ms, bytes: encoder.encode(`${row}\n`).length }));
  return readWaits(decodeFlight(bytes), chunks);
}

it('has a promise that a client component is given, outside of every boundary', () => {
  const root = '0:{"page:/lab/x":["$","$L1",null,{"later":"$@2","scores":[{"sum":"$@3"}]}]}';
  const client = '1:I["/board.tsx",[],"Board"]';
  expect(read([5, client], [10, root], [310, '2:"late value"'], [1510, '3:7'])).toEqual([
    { name: 'the promise "later"', ms: 300, how: 'comes' },
    { name: 'the promise "sum"', ms: 1500, how: 'comes' },
  ]);
});

it('has what the page itself waited for, and a promise since it was promised', () => {
  const page = '2:["$","ul",null,{"children":["$L3","$@4"],"when":"$@5"}]';
  expect(read([10, '0:{"page:/lab/x":"$L2"}'], [210, page], [260, '3:"a"'], [270, '4:"b"'], [310, '5:"c"'])).toEqual([
    { name: 'the page', ms: 200, how: 'waits' },
    { name: 'the promise "when"', ms: 100, how: 'comes' },
  ]);
});

it('has boundaries by their names, and nothing when no time is known', () => {
  const root = '0:{"page:/lab/x":["$","$1",null,{"children":["$","p",null,{"id":"$@2"}]}]}';
  expect(read([5, '1:"$Sreact.suspense"'], [10, root], [60, '2:"a"'])).toEqual([
    { name: 'Suspense', ms: 50, how: 'waits' },
  ]);
  expect(readWaits(decodeFlight(encoder.encode('0:["$@2"]\n2:1\n')), [])).toEqual([]);
});

it('is not sure of what stands within a client component: it may have a boundary of its own', () => {
  const within = '["$","$L2",null,{"children":"$L3"}]';
  const rows = [[5, '1:"$Sreact.suspense"'] as const, [6, '2:I["/tabs.tsx",[],"Tabs"]'] as const];
  const boundary = `0:{"page:/lab/x":["$","$1",null,{"children":${within}}]}`;
  expect(read(...rows, [10, boundary], [60, '3:"a"'])).toEqual([{ name: 'Suspense', ms: 50, how: 'may-wait' }]);
  expect(read(...rows, [10, `0:{"page:/lab/x":${within}}`], [60, '3:"a"'])).toEqual([
    { name: 'the page', ms: 50, how: 'may-wait' },
  ]);
});

import { expect, it } from 'vitest';

import { decodeFlight } from '#flight';
import { createReferenceReader } from '#viewer/references.ts';

import { describeUse } from './describe-use.ts';

function describeAll(text: string): readonly string[] {
  const flight = decodeFlight(new TextEncoder().encode(text));
  const { references, advance } = createReferenceReader(flight);
  advance(Infinity);
  return Array.from({ length: flight.rows.count }, (_, row) => describeUse(flight, row, references.to.get(row) ?? []));
}

it('says which rows refer to a row, before or after it', () => {
  const bound = '1:I["a",[],"Form"]\n2:{"id":"a","bound":"$@b"}\n0:["$","$L1",null,{"action":"$h2"}]\nb:["invoice"]\n';
  expect(describeAll(bound)).toEqual([
    'Row 0 refers to this row.',
    'Row 0 refers to this row.',
    'This row is the root: what the component returned.',
    'Row 2 refers to this row.',
  ]);
});

it('names some of many, and says where there is none', () => {
  const [module = '', ...rest] = describeAll(
    '1:I["a",[],"Byline"]\na:"$1"\nb:"$1"\n2:I["a",[],"Two"]\nc:"$1"\nd:["$1","$2"]\n0:"$2"\n',
  );
  expect(module).toBe('Rows a, b, c and 1 more refer to this row.');
  expect(rest[0]).toBe('No row refers to this one.');
  expect(rest[2]).toBe('Rows d and 0 refer to this row.');
});

it('knows the rows of a stream, and those that are for the browser', () => {
  const [start, , item, end, hint] = describeAll('2:X\n0:{"lines":"$2"}\n2:Ta,Fuel: 98 %2:C\n:HL["/a.jpg","image"]\n');
  expect(start).toBe('Row 0 refers to this row.');
  expect([item, end]).toEqual(Array(2).fill('This row belongs to the stream that row 2 began.'));
  expect(hint).toBe('This row is for the browser itself: no other refers to it.');
});

import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { decodeFlight, findRow, readTokens, type Flight } from '#flight';

import { explainToken, type TokenNote } from './explain-token.ts';

const rows = [
  '1:I["a1b2",["c1","counter.js"],"Counter",1]\n',
  '2:[["Ada",36]]\n',
  '3:T4,long',
  ':HL["/a.css","style"]\n',
  '5:E{"digest":"K7RQ2"}\n',
  '6:I["a1b2","Chart",["c1"]]\n',
  '0:{"ROUTE":["/",""],"IS_STATIC":true,"page:/":["$","$L1","k",{"start":3,"ages":"$Q2","late":"$@9","text":"$3","child":["$","p",null,{}]}]}\n',
];
const flight = decodeFlight(new TextEncoder().encode(rows.join('')));

/** The note of the token that begins with `part`, in the row that is written at `row` above. */
function explain(row: number, part: string, from: Flight = flight): TokenNote {
  const text = new TextDecoder().decode(from.bytes);
  const token = readTokens(from, row).find(({ start }) => text.startsWith(part, start));
  if (!token) throw new Error(`row ${row} has no token ${part}`);
  return explainToken(from, row, token);
}

describe('explainToken', () => {
  it.each([
    [0, '1', 'row id', 'framing', 'This is row 1.'],
    [0, 'I', 'client module', 'row-I', undefined],
    [0, '"a1b2"', 'module id', 'row-I', 'Item 1 of 4.'],
    [0, '["c1"', 'chunks', 'row-I', 'Item 2 of 4.'],
    [0, '"Counter"', 'export name', 'row-I', 'Item 3 of 4.'],
    [0, '1]', 'async module', 'row-I', 'Item 4 of 4.'],
    [5, '"Chart"', 'export name', 'row-I', 'Item 2 of 3.'],
    [1, '36', 'number', undefined, 'Item 2 of 2.'],
    [1, '\n', 'end of the row', 'framing', undefined],
    [2, '4', 'length', 'framing', '4 bytes follow.'],
    [2, 'long', 'text', 'row-T', 'Its body, 4 B.'],
    [3, 'L', 'preload', 'hint-L', undefined],
    [4, 'E', 'error', 'row-E', undefined],
    [4, '"digest"', 'digest', 'row-E', undefined],
    [6, '0', 'row id', 'framing', 'Row 0 is the root.'],
    [6, '"ROUTE"', 'route (Waku 1.0)', 'root-waku', undefined],
    [6, '"page:/"', 'page (Waku 1.0)', 'root-waku', undefined],
    [6, '"$",', 'element', 'form-element', '<Counter> begins here.'],
    [6, '"k"', 'element key', 'form-element', 'element key of <Counter>.'],
    [6, '{"start"', 'element props', 'form-element', 'element props of <Counter>.'],
    [6, '"start"', 'prop', undefined, 'A prop of <Counter>.'],
    [6, '3,', 'number', undefined, 'The prop start of <Counter>.'],
    [6, '["$","p"', 'element <p>', undefined, 'The prop child of <Counter>.'],
    [6, '{}', 'element props', 'form-element', 'element props of <p>.'],
  ])('in row %i, %j is %s', (row, part, name, anchor, here) => {
    expect(explain(row, part)).toMatchObject({ name, anchor, here, target: undefined });
  });

  it.each([
    ['"$L1"', 'element type, a lazy reference', 'form-L', '1', 0, 'client Counter'],
    ['"$Q2"', 'Map', 'form-Q', '2', 1, 'Array(1)'],
    ['"$3"', 'reference', 'form-reference', '3', 2, '"long"'],
    ['"$@9"', 'promise', 'form-promise', '9', undefined, 'which never came'],
  ])('%s says which row it names', (part, name, anchor, id, row, text) => {
    expect(explain(6, part)).toMatchObject({ name, anchor, target: { id, row, text } });
  });

  it('takes a framework’s names for its own in the root only', () => {
    const other = decodeFlight(
      new TextEncoder().encode('1:{"ROUTE":1}\n0:{"ROUTE":["/",""],"IS_STATIC":true,"a":"$1"}\n'),
    );
    expect(explain(0, '"ROUTE"', other)).toMatchObject({ name: 'name of a member', anchor: undefined });
    expect(explain(1, '"ROUTE"', other)).toMatchObject({ name: 'route (Waku 1.0)' });
  });

  it('knows that a request gives letters another meaning', () => {
    const request = decodeFlight(new TextEncoder().encode('1:o2,Hi0:["$S1"]\n'), { direction: 'request' });
    expect(explain(1, '"$S1"', request)).toMatchObject({ name: 'binary', anchor: 'reply-binary' });
  });

  it('knows Next.js’s letters, in the tree too', () => {
    const file = path.join(
      import.meta.dirname,
      '../../../flight/fixtures/next-16.4.6-cache-components/heavy-prefetch.rsc',
    );
    const next = decodeFlight(new Uint8Array(readFileSync(file)));
    const root = findRow(next.rows, 0) ?? -1;
    expect(explain(root, '"q"', next)).toMatchObject({ name: 'rendered search (Next.js 16.4)', anchor: 'root-next' });
    expect(explain(root, '"v"', next).name).toBe('vary parameters (Next.js 16.4)');
  });
});

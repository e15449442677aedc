import { expect, it } from 'vitest';

import { firstView } from '#viewer/diff/diff-view.ts';

import { makeFileId, parseDecodeQuery, toDecodeAddress, type Shown } from './decode-address.ts';

const shown: readonly Shown[] = [
  { kind: 'start' },
  { kind: 'file', file: 'k3x9', flight: undefined },
  { kind: 'file', file: 'k3x9', flight: 0 },
  { kind: 'compare', before: { file: 'k3x9', flight: 0 }, after: { file: 'b7q2', flight: 12 }, view: firstView },
  {
    kind: 'compare',
    before: { file: 'k3x9', flight: 0 },
    after: { file: 'k3x9', flight: 1 },
    view: { group: 2, page: 3 },
  },
];

it.each(shown)('the address of %j says it', (one) => {
  const { search } = new URL(toDecodeAddress(one), 'http://a.example');
  expect(parseDecodeQuery(search)).toEqual(one);
});

it.each(['?file=', '?file=../x', '?file=k', '?before=k3x9.0', '?before=k3x9&after=k3x9.1', '?flight=2'])(
  '%s is the start',
  (query) => {
    expect(parseDecodeQuery(query)).toEqual({ kind: 'start' });
  },
);

it('a flight that is no number is the list', () => {
  expect(parseDecodeQuery('?file=k3x9&flight=-1')).toEqual({ kind: 'file', file: 'k3x9', flight: undefined });
});

it('makes ids that an address may hold, each another', () => {
  const ids = Array.from({ length: 200 }, makeFileId);
  expect(new Set(ids).size).toBe(200);
  for (const id of ids) {
    expect(parseDecodeQuery(`?file=${id}`)).toMatchObject({ kind: 'file', file: id });
  }
});

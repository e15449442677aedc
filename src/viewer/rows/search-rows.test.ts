import { describe, expect, it } from 'vitest';

import { decodeFlight } from '#flight';

import { createRowSearch, findMatch } from './search-rows.ts';

const flight = decodeFlight(
  new TextEncoder().encode(
    '1:I["m1",[],"Counter"]\n2:"a \\"quoted\\" w\\u00f6rd"\n3:D"$2"\n0:["$","p",null,{"title":"$2"}]\n',
  ),
);

function search(query: string): number[] {
  const { found, advance } = createRowSearch(flight, query);
  expect(advance(Infinity)).toBe(true);
  return found;
}

describe('createRowSearch', () => {
  it.each([
    ['raw text, in any case', 'COUNTER', [0]],
    ['a reference', '"$2"', [2, 3]],
    ['text behind escapes', '"quoted" wörd', [1]],
    ['what the list shows and the payload does not', '<p title', [3]],
    ['an id', '3:', [2]],
    ['nothing', 'nowhere', []],
  ])('finds %s', (_, query, rows) => {
    expect(search(query)).toEqual(rows);
  });

  it('stops when its time is over, and goes on', () => {
    let clock = 0;
    const { found, advance } = createRowSearch(flight, '$', () => ++clock);
    expect(advance(1)).toBe(false);
    expect(found).toEqual([]);
    expect(advance(Infinity)).toBe(true);
    expect(found).toEqual([2, 3]);
  });
});

describe('findMatch', () => {
  const text = new TextDecoder().decode(flight.bytes);

  it('is where the match begins and ends', () => {
    const match = findMatch(flight, 3, 'TITLE');
    expect(match && text.slice(match.start, match.end)).toBe('title');
  });

  it('counts bytes, not characters', () => {
    const coded = decodeFlight(new TextEncoder().encode('0:"é漢😀 here"\n'));
    const match = findMatch(coded, 0, 'here');
    expect(match).toEqual({ start: 13, end: 17 });
  });

  it('is nowhere when only the decoded text matches', () => {
    expect(findMatch(flight, 1, '"quoted"')).toBeUndefined();
  });
});

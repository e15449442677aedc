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

  it.each([
    ['the row of a Map', '0:"$Q1"\n1:[["needle",1]]\n', 1],
    ['a text row', '0:"$1"\n1:T6,needle', 1],
    ['an item of a stream', '0:"$1"\n1:R\n1:"needle"\n1:C\n', 2],
    ['what an iterable returned', '0:"$1"\n1:X\n1:C"needle"\n', 2],
    ['a payload within the payload', '0:"$1"\n1:o13,0:["a","n\\u0065edle"]\n', 1],
    ['an error', '0:E{"digest":"needle"}\n', 0],
    ['what development says', '0:D{"name":"needle"}\n0:1\n', 0],
  ])('finds text in %s', (_, text, row) => {
    const { found, advance } = createRowSearch(decodeFlight(new TextEncoder().encode(text)), 'Needle');
    advance(Infinity);
    expect(found).toEqual([row]);
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

import { describe, expect, it } from 'vitest';

import { createReadingPlaces, type ReadingLimits } from './reading-places.ts';

/** Names of those that gave way, in order. */
function createRoom(limits: ReadingLimits) {
  const places = createReadingPlaces(limits);
  const gone: string[] = [];
  return { gone, enter: (who: string, name: string) => places.enter(who, () => void gone.push(name)) };
}

describe('the oldest that is being read gives way', () => {
  it('of whoever has most, where all places are taken', () => {
    const { gone, enter } = createRoom({ all: 3 });
    enter('flood', 'a');
    enter('shop', 'b');
    enter('flood', 'c');
    expect(enter('shop', 'd')).toBeDefined();
    expect(gone).toEqual(['a']);
    expect(enter('blog', 'e')).toBeDefined();
    expect(gone).toEqual(['a', 'b']);
  });

  it('of the same, where one has as many as one may have', () => {
    const { gone, enter } = createRoom({ all: 8, own: 3 });
    for (const name of ['1', '2', '3']) enter('one', name);
    for (const name of ['a', 'b']) enter('other', name);
    enter('one', '4');
    enter('one', '5');
    expect(gone).toEqual(['1', '2']);
  });

  it('and nobody does where somebody has left', () => {
    const { gone, enter } = createRoom({ all: 2 });
    const first = enter('shop', '1');
    enter('shop', '2');
    first?.leave();
    first?.leave();
    enter('blog', '3');
    expect(gone).toEqual([]);
    enter('blog', '4');
    expect(gone).toEqual(['2']);
  });
});

describe('what is worked on', () => {
  it('keeps its place until it leaves', () => {
    const { gone, enter } = createRoom({ all: 2 });
    const first = enter('shop', 'first');
    const second = enter('blog', 'second');
    first?.keep();
    second?.keep();
    expect(enter('docs', 'third')).toBeUndefined();
    first?.leave();
    expect(enter('docs', 'third')).toBeDefined();
    expect(enter('docs', 'fourth')).toBeDefined();
    expect(gone).toEqual(['third']);
  });

  it('of one fills three quarters of the places at most', () => {
    const { gone, enter } = createRoom({ all: 16 });
    const taken = Array.from({ length: 40 }, (_, index) => {
      const place = enter('flood', String(index));
      place?.keep();
      return place;
    }).filter((place) => place !== undefined);
    expect(taken).toHaveLength(12);
    expect(enter('shop', 'shop')).toBeDefined();
    expect(gone).toEqual([]);
    for (const place of taken) place.leave();
    expect(enter('flood', 'again')).toBeDefined();
  });
});

import { describe, expect, it } from 'vitest';

import { decodeFlight, diffFlights } from '#flight';

import { describeCount, describeDiff, describeGroup, describeOwn, describeWeight } from './describe-diff.ts';

function diff(before: string, after: string) {
  const encoder = new TextEncoder();
  return diffFlights(decodeFlight(encoder.encode(before)), decodeFlight(encoder.encode(after)));
}

function list(...content: readonly string[]): string {
  return `0:["$","ul",null,{"children":[${content.join(',')}]}]\n`;
}

function item(key: number, className: string, text = ''): string {
  return `["$","li","${key}",{"className":"${className}","children":"${text}"}]`;
}

function items(count: number, className: string, text = ''): string[] {
  return Array.from({ length: count }, (_, key) => item(key, className, text));
}

describe('the headline', () => {
  it.each([
    ['more elements', list(), list(...items(300, 'a')), '34 B → 14.6 kB, +14.6 kB: <li> +14.3 kB'],
    ['fewer', list(...items(300, 'a')), list(), '14.6 kB → 34 B, −14.6 kB: <li> −14.3 kB'],
    [
      'a prop',
      list(...items(300, 'a')),
      list(...items(300, 'a bc')),
      '14.6 kB → 15.5 kB, +900 B: className of <li> +900 B',
    ],
    ['nothing', list(), list(), '34 B: nothing is different'],
    ['the same size', list('"a"'), list('"b"'), '37 B → 37 B, the same size'],
  ])('%s', (_, before, after, expected) => {
    expect(describeDiff(diff(before, after))).toBe(expected);
  });

  it('names what goes the same way, the largest first', () => {
    const before = list(...items(10, 'x'), '["$","b",null,{}]');
    const after = list(...items(40, 'x'), '["$","i",null,{"title":"a title of some length, to be seen"}]');
    expect(describeDiff(diff(before, after))).toMatch(/: <li> \+1\.41 kB$/);
  });
});

describe('a group', () => {
  function firstOf(before: string, after: string) {
    const [group] = diff(before, after).groups;
    if (!group) throw new Error('nothing differs');
    return [group.kind, describeGroup(group), describeCount(group), describeWeight(group)];
  }

  it.each([
    [
      list(...items(300, 'old')),
      list(...items(300, 'newer')),
      ['changed', 'className of <li>', '300 times the same change', '1.5 kB → 2.1 kB, +600 B'],
    ],
    [list(item(1, 'a', 'one')), list(item(1, 'a', 'two')), ['changed', 'text of <li>', undefined, '5 B → 5 B']],
    [list(), list(...items(2, 'a')), ['added', '<li> in <ul>', '2 of them', '+92 B']],
    [list(item(1, 'a')), list(), ['removed', '<li> in <ul>', undefined, '−46 B']],
    [list(item(1, 'a'), item(2, 'b')), list(item(2, 'b'), item(1, 'a')), ['moved', '<li> in <ul>', undefined, '46 B']],
    ['0:{"a":[{"b":1}]}\n', '0:{"a":[{"b":2}]}\n', ['changed', 'a.0.b', undefined, '1 B → 1 B']],
    ['0:{"a":["$","p",null,{}]}\n', '0:{}\n', ['removed', '<p> in a', undefined, '−17 B']],
    ['0:["$","p",null,{}]\n', '0:["$","b",null,{}]\n', ['changed', 'the root', undefined, '17 B → 17 B']],
    [
      '0:{"a":[{"b":1},{"b":1}]}\n',
      '0:{"a":[{"b":2},{"b":2}]}\n',
      ['changed', 'a.*.b', '2 times the same change', '2 B → 2 B'],
    ],
    ['0:1\n', '0:2\n', ['changed', 'the root', undefined, '1 B → 1 B']],
    [
      '0:["$","div",null,{"children":["$","p",null,{}]}]\n',
      '0:["$","div",null,{"children":["$","b",null,{}]}]\n',
      ['changed', 'content of <div>', undefined, '17 B → 17 B'],
    ],
  ])('%s', (before, after, expected) => {
    expect(firstOf(before, after)).toEqual(expected);
  });
});

it.each([
  [1, 4, 8, 'Next.js’s own data: one change, +4 B'],
  [1200, 2000, 500, 'Next.js’s own data: 1,200 changes, −1.5 kB'],
  [2, 4, 4, 'Next.js’s own data: 2 changes, the same size'],
])('a framework’s own data: %i changes of %i and %i bytes', (differences, beforeBytes, afterBytes, words) => {
  expect(describeOwn({ framework: 'next', differences, beforeBytes, afterBytes })).toBe(words);
});

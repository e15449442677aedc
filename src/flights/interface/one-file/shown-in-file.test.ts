import { expect, test } from 'vitest';

import type { SavedFlight } from '#flight';

import { formatShownInFile, parseShownInFile, type ShownInFile } from './shown-in-file.ts';

const flight: SavedFlight = {
  title: 'one',
  facts: [],
  direction: 'response',
  bytes: new Uint8Array(),
  chunks: [],
  sizes: { response: undefined, transferred: undefined },
  pageSource: undefined,
  response: undefined,
  sources: [],
};
const comparison = { title: 'both', before: 0, after: 1, lines: [] };
const alone = { flights: [flight], comparisons: [] };
const compared = { flights: [flight, flight], comparisons: [comparison] };
const several = { flights: [flight, flight], comparisons: [comparison, comparison] };
const firstView = { group: undefined, page: 0 };

test.each<[what: string, held: typeof several, hash: string, shown: ShownInFile]>([
  ['the only flight', alone, '', { kind: 'flight', index: 0 }],
  ['the only comparison', compared, '#row=1a', { kind: 'comparison', index: 0, view: firstView }],
  ['the list of several', several, '', { kind: 'list' }],
  ['the list', compared, '#show=all', { kind: 'list' }],
  ['a flight', compared, '#show=2&tab=rows', { kind: 'flight', index: 1 }],
  [
    'a view of a comparison',
    several,
    '#show=c2&group=3',
    { kind: 'comparison', index: 1, view: { group: 2, page: 0 } },
  ],
  ['what is not in it', alone, '#show=2', { kind: 'flight', index: 0 }],
  ['what cannot be read', several, '#show=c0', { kind: 'list' }],
])('shows %s', (_, held, hash, shown) => {
  expect(parseShownInFile(held, hash)).toEqual(shown);
});

test('writes what it reads', () => {
  const all: ShownInFile[] = [
    { kind: 'list' },
    { kind: 'flight', index: 1 },
    { kind: 'comparison', index: 0, view: { group: 4, page: 1 } },
  ];
  for (const shown of all) expect(parseShownInFile(several, `#${formatShownInFile(several, shown)}`)).toEqual(shown);
  expect(formatShownInFile(alone, { kind: 'flight', index: 0 })).toBe('');
});

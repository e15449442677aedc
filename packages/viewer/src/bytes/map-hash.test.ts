import { expect, test } from 'vitest';

import { formatMapHash, parseMapHash } from './map-hash.ts';

test('a link names the view and the part', () => {
  const hash = formatMapHash('kinds', 'structure & keys');
  expect(hash).toBe('#tab=bytes&by=kinds&part=structure%20%26%20keys');
  expect(parseMapHash(hash)).toEqual({ view: 'kinds', part: 'structure & keys' });
});

test.each(['', '#tab=bytes', '#by=colour'])('%j asks for nothing', (hash) => {
  expect(parseMapHash(hash)).toEqual({ view: undefined, part: undefined });
});

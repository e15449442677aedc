import { expect, it } from 'vitest';

import { isHome, isMounted } from './mounted.ts';

it('is every address at the root of the server', () => {
  expect(['/', '/flights', '/flights/7'].filter((path) => !isMounted(path))).toEqual([]);
  expect(isHome('/')).toBe(true);
  expect(isHome('/flights')).toBe(false);
});

it('is what stands below the mount path, and nothing that only begins like it', () => {
  const paths = ['/_flight', '/_flight/', '/_flight/flights', '/_flights', '/', '/flights', '/shop/_flight', '/_fligh'];
  expect(paths.filter((path) => isMounted(path, '/_flight'))).toEqual(['/_flight', '/_flight/', '/_flight/flights']);
  expect(paths.filter((path) => isHome(path, '/_flight'))).toEqual(['/_flight', '/_flight/']);
});

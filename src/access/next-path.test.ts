import { expect, it } from 'vitest';

import { toNextPath } from './next-path.ts';

it.each(['/', '/lab', '/digest/ABCDE-FGHJK', '/lab/page-data?failures=2&x=%20y', '/operator', '/logins'])(
  'goes to %s',
  (path) => expect(toNextPath(path)).toBe(path),
);

it.each([
  null,
  undefined,
  '',
  'lab',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/ /evil.example',
  'https://evil.example/',
  'https:evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/.//evil.example',
  '/..//evil.example',
  '/lab/../..//evil.example',
  '/%2e//evil.example',
  '/x\u0000',
  '/x\r\nset-cookie: a=b',
  '/\u2044/evil.example',
  '@evil.example',
  '/login',
  '/login?next=/login',
  '/logout',
  '/./login',
  `/${'x'.repeat(1000)}`,
])('%j becomes the start page', (hostile) => {
  expect(toNextPath(hostile)).toBe('/');
});

it('leaves the origin out of every spelling of a path that a browser would take elsewhere', () => {
  for (const text of ['/a//evil.example', '/a/%5cevil.example', '/@evil.example', '/:80', '/a?//evil.example']) {
    const next = toNextPath(text);
    expect(new URL(next, 'https://flight.example').origin).toBe('https://flight.example');
    expect(next.startsWith('//')).toBe(false);
  }
});

it('stays below the mount path inside another app, whose own pages are none of a login’s', () => {
  expect(toNextPath('/_flight/flights?app=shop', '/_flight')).toBe('/_flight/flights?app=shop');
  const outside = ['/checkout', '/_flights', '/_flight/../checkout', '/'];
  expect(outside.map((path) => toNextPath(path, '/_flight'))).toEqual(outside.map(() => '/'));
});

import { expect, it } from 'vitest';

import { checkMountPath, mountToken } from './mount-path.ts';

it.each(['/_flight', '/shop/_flight', '/a/b.c/~me-too_', '/RSC2', mountToken, `/${'x'.repeat(199)}`])(
  '%s can be a mount path',
  (path) => {
    expect(() => checkMountPath(path)).not.toThrow();
  },
);

it.each([
  '',
  '/',
  '_flight',
  '/_flight/',
  '//_flight',
  '/a//b',
  '/..',
  '/a/../b',
  '/a/./b',
  '/a b',
  '/a?b',
  '/a#b',
  '/a%2fb',
  '/a\\b',
  '/"a"',
  "/'a'",
  '/`a`',
  '/$&',
  '/[a]',
  '/(a)',
  '/ä',
  '/a\n',
  `/${'x'.repeat(200)}`,
])('%j cannot be one, and the error says so in one line', (path) => {
  expect(() => checkMountPath(path)).toThrow(/^".*" cannot be a mount path: use segments of [^\n]*$/);
});

it.each([
  ['/_api/flight', '_api'],
  ['/a/_components', '_components'],
  ['/_Layout', '_Layout'],
  ['/a/index.html', 'index.html'],
  ['/404', '404'],
])('%j cannot be one, and the error says which name is Waku’s own', (path, name) => {
  expect(() => checkMountPath(path)).toThrow(
    `"${path}" cannot be a mount path: "${name}" is a name of Waku's own; use another one, such as "/_flight"`,
  );
});

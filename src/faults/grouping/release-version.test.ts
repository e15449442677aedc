import { expect, it } from 'vitest';

import { compareVersions, parseVersion } from './release-version.ts';

function compare(a: string, b: string): number {
  const [one, other] = [parseVersion(a), parseVersion(b)];
  if (!one || !other) throw new Error(`No version: ${one ? b : a}`);
  return Math.sign(compareVersions(one, other));
}

it('has the precedence of semver.org', () => {
  const inOrder = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11'];
  const all = [...inOrder, '1.0.0-rc.1', '1.0.0', '1.0.9', '1.0.10', '1.2.0', '2.0.0', '99999999999999999999.0.0'];
  for (const [index, one] of all.entries()) {
    for (const [place, other] of all.entries()) expect(compare(one, other)).toBe(Math.sign(index - place));
  }
});

it.each([
  ['v1.4.2', '1.4.2'],
  ['shop@1.4.2', 'shop@v1.4.2'],
  ['1.4.2+build.7', '1.4.2+build.11'],
  ['@acme/shop@1.4.2-rc.1+b', '@acme/shop@1.4.2-rc.1'],
])('takes %s and %s for the same', (a, b) => {
  expect(compare(a, b)).toBe(0);
});

it('keeps packages apart', () => {
  expect(parseVersion('@acme/shop@1.4.2')?.stream).toBe('@acme/shop@');
  expect(parseVersion('v1.4.2')?.stream).toBe('');
});

it.each([
  '',
  '1.4',
  '1.4.2.3',
  '01.4.2',
  '1.4.2-',
  '1.4.2-a..b',
  '1.4.2-01',
  '1.4.2+',
  '2026.07.01',
  'vv1.4.2',
  '1.4.2 ',
  'f1d2d2f924e986ac86fdf7b36c94bcdf32beec15',
  `1.4.2-${'0.'.repeat(100)}`,
])('%s is none', (text) => {
  expect(parseVersion(text)).toBeUndefined();
});

import { expect, it } from 'vitest';

import { chooseWay } from './way.ts';

const nothing = { framework: undefined, isOfBrowsers: false };

it.each([
  ['next', 'next'],
  ['waku', 'waku'],
  ['react-router', 'rsc'],
  ['react', 'browser'],
  ['express', 'server'],
  ['django', 'server'],
  ['', 'any'],
] as const)('an app of which %o is recorded is set up as %s', (framework, way) => {
  expect(chooseWay('', { framework, isOfBrowsers: false })).toBe(way);
});

it('is for browsers where only they told of the app, and what the operator chose in any case', () => {
  expect(chooseWay('', nothing)).toBe('any');
  expect(chooseWay('', { ...nothing, isOfBrowsers: true })).toBe('browser');
  expect(chooseWay('?for=server', { framework: 'next', isOfBrowsers: true })).toBe('server');
  expect(chooseWay('?for=constructor', nothing)).toBe('any');
});

import { describe, expect, it } from 'vitest';

import { readCaching } from './caching.ts';
import { adviseOnCaches, judgeCookie, judgeTwoBodies } from './judge-caching.ts';

const shared = 's-maxage=60';
const asked = ['rsc', 'next-router-state-tree'];

function judge(page: Record<string, string>, payload: Record<string, string>) {
  return judgeTwoBodies(new Headers(page), new Headers(payload), asked)?.rule;
}

describe('page and payload of one address', () => {
  const names = 'RSC, Next-Router-State-Tree';
  it.each([
    [
      'are mixed where the page does not say what it varies by',
      { 'cache-control': shared },
      { vary: names },
      'cache-mixes',
    ],
    [
      'are mixed where the payload leaves a name out',
      { vary: names },
      { 'cache-control': shared, vary: 'rsc' },
      'cache-mixes',
    ],
    ['are told apart by Vary alone', { vary: names, 'cache-control': shared }, { vary: names }, 'cache-vary-alone'],
    ['are kept by nobody', { 'cache-control': 'private, max-age=60' }, { 'cache-control': 'no-store' }, undefined],
    ['are kept by nobody for no time', { 'cache-control': 'public, max-age=0' }, {}, undefined],
    [
      'are for a CDN what it is told',
      { 'cache-control': 'no-store', 'cdn-cache-control': 'max-age=9' },
      {},
      'cache-mixes',
    ],
  ])('%s', (_, page, payload, rule) => expect(judge(page, payload)).toBe(rule));

  it('are two addresses where no header asked for the payload', () => {
    expect(judgeTwoBodies(new Headers({ 'cache-control': shared }), new Headers(), [])).toBeUndefined();
  });
});

it('a cookie is given to others only where caches may keep the answer', () => {
  expect(judgeCookie(new Headers({ 'cache-control': shared }), true)?.rule).toBe('cache-cookie');
  expect(judgeCookie(new Headers({ 'cache-control': shared }), false)).toBeUndefined();
  expect(judgeCookie(new Headers({ 'cache-control': 'private' }), true)).toBeUndefined();
});

it('names what Next.js needs, and nothing of it to others', () => {
  expect(adviseOnCaches('cache-mixes', 'next')).toContain('_rsc');
  expect(adviseOnCaches('cache-mixes', 'waku')).not.toContain('_rsc');
});

describe('what is read of it', () => {
  const caching = { headers: { vary: 'rsc' }, setsCookie: false, askedBy: ['rsc'] };
  it('is what was written, and the headers of caches alone', () => {
    expect(readCaching(caching)).toEqual(caching);
    expect(readCaching({ ...caching, headers: { vary: 'rsc', authorization: 'x', age: 3 } })).toEqual(caching);
  });
  it('is bounded', () => {
    const long = readCaching({
      headers: { vary: 'v'.repeat(9_999) },
      setsCookie: true,
      askedBy: Array.from({ length: 99 }, () => 'n'.repeat(999)),
    });
    expect(JSON.stringify(long).length).toBeLessThan(1_100);
  });
  it.each([
    [null],
    ['x'],
    [[]],
    [{}],
    [{ ...caching, headers: [] }],
    [{ ...caching, askedBy: 'rsc' }],
    [{ ...caching, setsCookie: 1 }],
  ])('is nothing of %j', (value) => expect(readCaching(value)).toBeUndefined());
});

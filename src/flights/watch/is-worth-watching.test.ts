import { describe, expect, it } from 'vitest';

import { isToldByAnswer, isWorthWatching } from './is-worth-watching.ts';

describe('a request of a page that is named like a file', () => {
  it.each([
    ['a browser that goes there', '/item/three.js', { 'sec-fetch-dest': 'document' }],
    ['a frame', '/packages/fail.zip', { 'sec-fetch-dest': 'iframe' }],
    ['a client of Next.js', '/docs/fail.js', { rsc: '1', 'sec-fetch-dest': 'empty' }],
    ['a client that asks for Flight', '/docs/data.json', { accept: 'text/x-component' }],
    ['a browser without Sec-Fetch-Dest', '/feed.xml', { accept: 'text/html,application/xhtml+xml' }],
  ])('is watched when it is of %s', (_, target, headers) => {
    expect(isWorthWatching('GET', target, headers)).toBe(true);
  });

  it.each([
    ['a script', '/item/three.js', { 'sec-fetch-dest': 'script' }],
    ['a file that is fetched', '/item/three.js', { 'sec-fetch-dest': 'empty', accept: '*/*' }],
    ['a file of the build', '/_next/static/chunks/a.js', { 'sec-fetch-dest': 'document' }],
    ['a picture', '/logo.png', {}],
  ])('is no such request when it is of %s', (_, target, headers) => {
    expect(isWorthWatching('GET', target, headers)).toBe(false);
  });

  it('waits for the answer where nothing is said', () => {
    expect(isToldByAnswer('GET', '/packages/fail.zip', {})).toBe(true);
    expect(isToldByAnswer('GET', '/_next/static/a.js', {})).toBe(false);
    expect(isToldByAnswer('GET', '/a.js', { 'sec-fetch-dest': 'script' })).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';

import type { Tap } from '#src/proxy/watch.ts';

import { isToldByAnswer, isWorthWatching } from './is-worth-watching.ts';
import { openFileTap } from './open-file-tap.ts';

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

describe('the tap of what is named like a file', () => {
  function open(status: number, contentType: string): string[] {
    const opened: string[] = [];
    const opens = (name: string) => (): Tap => {
      opened.push(name);
      return { response: () => true, body: () => {}, end: (outcome) => opened.push(outcome) };
    };
    const tap = openFileTap({ openFile: opens('file'), openPage: opens('page') });
    opened.push(String(tap.response(status, ['Content-Type', contentType])));
    tap.end('complete');
    return opened;
  }

  it('is of a page where the answer is one', () => {
    expect(open(200, 'text/html; charset=utf-8')).toEqual(['page', 'true', 'complete']);
    expect(open(500, 'text/x-component')).toEqual(['page', 'true', 'complete']);
  });

  it('is of a file that is gone, and of none that is there', () => {
    expect(open(404, 'text/html')).toEqual(['file', 'true', 'complete']);
    expect(open(200, 'text/javascript')).toEqual(['false']);
  });
});

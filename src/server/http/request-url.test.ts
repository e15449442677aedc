import { assert, property, webUrl } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { splitUrl } from './request-url.ts';

function splitWithUrl(url: string) {
  const { origin, pathname, search } = new URL(url);
  return { origin, pathname, search };
}

describe('splitUrl', () => {
  it.each([
    'http://127.0.0.1:3000/',
    'http://127.0.0.1:3000/lab/slow?ms=0',
    'https://flight.example/RSC/R/_root.txt?query=a%2Fb',
    'http://[::1]:3000/lab//x?next=http://other.example/',
    'http://127.0.0.1/a;b=c?a=?&b=/#c?d',
    'http://127.0.0.1/#a/b?c',
  ])('finds in %s what the URL parser finds', (url) => {
    expect(splitUrl(url)).toEqual(splitWithUrl(url));
  });

  it('finds what the URL parser finds in whatever that has serialised', () => {
    assert(
      property(webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const { href, search } = new URL(text);
        // A lone question mark is no search to the parser, and stays in its text.
        if (search === '' && href.includes('?')) return;
        expect(splitUrl(href)).toEqual(splitWithUrl(href));
      }),
    );
  });

  it('refuses what is no absolute URL', () => {
    expect(() => splitUrl('/lab')).toThrow('/lab is no absolute URL');
    expect(() => splitUrl('http://127.0.0.1')).toThrow('is no absolute URL');
  });
});

import { expect, test } from 'vitest';

import { checkTarget } from './check-target.ts';

test.each([
  '/',
  '/lab/slow',
  '/lab/slow?x=1',
  '/RSC/R/_root.txt',
  '/RSC/R/lab/slow.txt?query=a%2Fb',
  '/assets/index-B1_x-y.js',
  '/.well-known/security.txt',
  '/...',
  '/..a',
  '/lab/prefetch/%C3%A9%20x',
  '/100%25',
  // A query is data, as it was typed.
  '/search?q=100%',
  '/search?q=a//b\\c&path=/../x&z=%00%2f',
  '/?',
  "/a;b=c:d@e!$&'()*+,-=~_",
])('%s is a target', (target) => {
  expect(checkTarget(target)).toBeUndefined();
});

test.each([
  ['', 'not a path'],
  ['*', 'not a path'],
  ['lab', 'not a path'],
  ['http://127.0.0.1:3000/', 'not a path'],
  ['//', '//'],
  ['//lab', '//'],
  ['/lab//slow', '//'],
  ['/lab//', '//'],
  ['/\\lab', 'backslash'],
  ['/lab\\..\\x', 'backslash'],
  ['/lab%2fslow', '%2f'],
  ['/lab%2Fslow', '%2F'],
  ['/lab%5cslow', '%5c'],
  ['/lab%5Cslow', '%5C'],
  ['/lab%00', '%00'],
  ['/lab%0a', '%0a'],
  ['/lab%7F', '%7F'],
  ['/.', 'dot segment'],
  ['/..', 'dot segment'],
  ['/../etc/passwd', 'dot segment'],
  ['/lab/./slow', 'dot segment'],
  ['/lab/..?x', 'dot segment'],
  ['/lab/%2e%2e/x', '%2e'],
  ['/lab/.%2E/x', '%2E'],
  ['/lab%', 'without two digits'],
  ['/lab%4', 'without two digits'],
  ['/lab%zz', 'without two digits'],
  ['/lab%+1', 'without two digits'],
  ['/lab%ff', 'UTF-8'],
  ['/lab%c3?x=1', 'UTF-8'],
  ['/lab#top', 'character'],
  ['/lab?x#top', 'character'],
  ['/l\u00e4b', 'character'],
  ['/lab?x=\u00e9', 'character'],
  ['/lab\u007f', 'character'],
  ['/lab slow', 'character'],
])('%s is refused', (target, problem) => {
  expect(checkTarget(target)).toContain(problem);
});

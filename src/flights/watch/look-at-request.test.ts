import { expect, it } from 'vitest';

import { keepRequestHeaders } from './keep-headers.ts';
import { lookAtRequest } from './look-at-request.ts';

type Row = readonly [string, Readonly<Record<string, string>>, string];

/** `method target`, headers, and `framework kind path action`. */
const requests: readonly Row[] = [
  ['GET /blog/first?_rsc=1', { rsc: '1', 'next-url': '/' }, 'next navigation /blog/first'],
  ['GET /blog?_rsc=1', { rsc: '1', 'next-router-state-tree': '%5B%5D' }, 'next navigation-or-prefetch /blog'],
  ['GET /blog?_rsc=1', { rsc: '1', 'next-router-prefetch': '1' }, 'next prefetch /blog'],
  ['GET /blog?_rsc=1', { rsc: '1', 'next-router-segment-prefetch': '/_tree' }, 'next prefetch /blog'],
  ['GET /blog', { rsc: '1' }, 'navigation /blog'],
  ['POST /act', { 'next-action': 'abc' }, 'next action /act abc'],
  ['GET /RSC/R/blog/one.txt?query=', { 'x-waku-etags': '{"root":1}' }, 'waku navigation /blog/one'],
  ['GET /RSC/R/blog/one.txt?query=', { 'x-waku-etags': '{}' }, 'waku prefetch /blog/one'],
  ['GET /RSC/R/_root.txt', {}, 'waku navigation /'],
  ['GET /RSC/R/_root.txt', { 'x-waku-router-skip': '[]' }, 'waku navigation-or-prefetch /'],
  ['GET /RSC/S/clock.txt', {}, 'waku slice /RSC/S/clock.txt'],
  ['POST /RSC/F/abc/save.txt', { 'x-waku-action-location': '/act' }, 'waku action /act abc#save'],
  ['POST /act', { 'x-flight-action': '_/src/a.ts/save' }, 'waku action /act /src/a.ts#save'],
  ['POST http://app.test/RSC/F/abc/save.txt?x=1', {}, 'waku action /RSC/F/abc/save.txt abc#save'],
  ['GET https://app.test/about?q=1', {}, '/about'],
  ['GET /about.rsc', {}, 'react-router navigation /about'],
  ['GET /_root.rsc', {}, 'react-router navigation /'],
  ['GET /_.rsc', {}, 'navigation /'],
  ['GET /about_.rsc', {}, 'vite-rsc navigation /about'],
  ['GET /about.rsc', { 'sec-purpose': 'prefetch' }, 'react-router prefetch /about'],
  ['POST /about.rsc', {}, 'react-router action /about'],
  ['GET /_root.manifest?paths=/a', {}, 'slice /_root.manifest'],
  ['POST /about', { 'rsc-action-id': 'f#save', accept: 'text/x-component' }, 'action /about f#save'],
  ['POST /about_.rsc', { 'x-rsc-action': 'f#save' }, 'vite-rsc action /about f#save'],
  ['GET /about?__rsc', {}, 'redwood navigation /about'],
  ['GET /about?__rsc', { 'x-prefetch': 'true' }, 'redwood prefetch /about'],
  ['POST /about?__rsc&__rsc_action_id=%2Fsrc%2Fa.ts%23save', {}, 'redwood action /about /src/a.ts#save'],
  ['GET /_serverFn/abc', {}, 'tanstack-start navigation /_serverFn/abc'],
  ['POST /_serverFn/abc', {}, 'tanstack-start action /_serverFn/abc abc'],
  ['GET /about', { accept: 'text/x-component' }, 'navigation /about'],
  ['POST /about', { accept: 'text/x-component' }, 'action /about'],
  ['GET /about', { 'sec-purpose': 'prefetch;prerender' }, 'prefetch /about'],
  ['GET /%C3%A4?a=b', {}, '/ä'],
  ['GET /%zz', {}, '/%zz'],
  ['POST /login', { 'sec-purpose': 'prefetch' }, '/login'],
];

it.each(requests)('%s %o: %s', (line, headers, expected) => {
  const [method = '', target = ''] = line.split(' ');
  const { framework, kind, path, actionId } = lookAtRequest({ method, target, headers });
  expect([framework, kind, path, actionId].filter((part) => part !== null).join(' ')).toBe(expected);
});

it('keeps no more of an address and of an id than a person can read', () => {
  const headers = { 'next-action': 'x'.repeat(5_000) };
  const look = lookAtRequest({ method: 'POST', target: `/${'y'.repeat(5_000)}`, headers });
  expect([look.path.length, look.actionId?.length]).toEqual([2_000, 300]);
});

/** Without a header of a prefetch: what each version sends for a click, and for `<Link prefetch={true}>`. */
const wholePages: readonly (readonly [kind: string, tree: string])[] = [
  // 16.4, 16.2
  ['prefetch', '["",{"children":["full",{"children":["__PAGE__",{}]},null,"refetch"]},null,null,16]'],
  ['prefetch', '["",{"children":["cart",{"children":["__PAGE__",{}]},null,"refetch",4]},null,null,24]'],
  ['navigation', '["",{"children":["full",{"children":["__PAGE__",{},null,null,0]},null,"refetch",0]},null,null,16]'],
  ['navigation', '["",{"children":["cart",{"children":["__PAGE__",{},null,"refetch",0]},null,null,4]},null,null,24]'],
  ['navigation', '["",{"children":["none",{"children":["__PAGE__",{},null,null,0]},null,null,0]},null,null,24]'],
  // 16.4: a prefetch of a page that was made at build time. A click on such a page has the same.
  [
    'navigation-or-prefetch',
    '["",{"children":["contact",{"children":["__PAGE__",{},null,null,160]},null,"refetch",96]},null,null,80]',
  ],
  // 16.2, where no segment has a flag; early 14 and 15 mark clicks so.
  ['navigation-or-prefetch', '["",{"children":["full",{"children":["__PAGE__",{}]},null,"refetch"]}]'],
  // 16.0 and 16.1: a prefetch, then two clicks, then `router.refresh()`.
  [
    'navigation-or-prefetch',
    '["",{"children":["full",{"children":["__PAGE__",{},null,null,false]},null,"refetch",false]},null,null,true]',
  ],
  [
    'navigation-or-prefetch',
    '["",{"children":["loading",{"children":["__PAGE__",{},null,"refetch",false]},null,null,false]},null,null,true]',
  ],
  ['navigation', '["",{"children":["none",{"children":["__PAGE__",{},null,null]},null,"refetch"]},null,null]'],
  ['navigation', '["",{"children":["tools",{"children":["__PAGE__",{},null,null]},null,null]},null,"refetch",true]'],
  // 14 and 15: a click on a link that was prefetched, and `router.refresh()`; then any other click, or a prefetch.
  ['navigation', '["",{"children":["full",{"children":["__PAGE__",{},null,"refetch"]},null,null]},null,null]'],
  ['navigation', '["",{"children":["tools",{"children":["__PAGE__",{},null,null]},null,null]},null,"refetch"]'],
  ['navigation-or-prefetch', '["",{"children":["__PAGE__",{},null,null]},null,null,true]'],
  // A page of which nothing is known.
  ['navigation', '["",{},null,"refetch"]'],
];

it.each(wholePages)('Next.js asks for a whole page: %s %s', (kind, tree) => {
  const headers = { rsc: '1', 'next-router-state-tree': encodeURIComponent(tree) };
  expect(lookAtRequest({ method: 'GET', target: '/full?_rsc=1', headers })).toMatchObject({ framework: 'next', kind });
});

it.each([
  ['i', 'prefetch'],
  ['u=1, i', 'navigation-or-prefetch'],
])('a request that may be either, with the priority %j: %s', (priority, kind) => {
  const tree = '["",{"children":["__PAGE__",{},null,null]},null,null,true]';
  const headers = { rsc: '1', priority, 'next-router-state-tree': encodeURIComponent(tree) };
  expect(lookAtRequest({ method: 'GET', target: '/full?_rsc=1', headers }).kind).toBe(kind);
  expect(keepRequestHeaders(['Priority', priority])).toEqual({ priority });
});

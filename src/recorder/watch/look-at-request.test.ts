import { expect, it } from 'vitest';

import { lookAtRequest } from './look-at-request.ts';

type Row = readonly [string, Readonly<Record<string, string>>, string];

/** `method target`, headers, and `framework kind path action`. */
const requests: readonly Row[] = [
  ['GET /blog/first?_rsc=1', { rsc: '1', 'next-url': '/' }, 'next navigation /blog/first'],
  ['GET /blog?_rsc=1', { rsc: '1', 'next-router-state-tree': '%5B%5D' }, 'next navigation /blog'],
  ['GET /blog?_rsc=1', { rsc: '1', 'next-router-prefetch': '1' }, 'next prefetch /blog'],
  ['GET /blog?_rsc=1', { rsc: '1', 'next-router-segment-prefetch': '/_tree' }, 'next prefetch /blog'],
  ['GET /blog', { rsc: '1' }, 'navigation /blog'],
  ['POST /act', { 'next-action': 'abc' }, 'next action /act abc'],
  ['GET /RSC/R/blog/one.txt?query=', { 'x-waku-etags': '{"root":1}' }, 'waku navigation /blog/one'],
  ['GET /RSC/R/blog/one.txt?query=', { 'x-waku-etags': '{}' }, 'waku prefetch /blog/one'],
  ['GET /RSC/R/_root.txt', {}, 'waku navigation /'],
  ['GET /RSC/S/clock.txt', {}, 'waku slice /RSC/S/clock.txt'],
  ['POST /RSC/F/abc/save.txt', { 'x-waku-action-location': '/act' }, 'waku action /act abc#save'],
  ['GET /about.rsc', {}, 'react-router navigation /about'],
  ['GET /_root.rsc', {}, 'react-router navigation /'],
  ['GET /_.rsc', {}, 'navigation /'],
  ['GET /about_.rsc', {}, 'vite-rsc navigation /about'],
  ['GET /about.rsc', { 'sec-purpose': 'prefetch' }, 'react-router prefetch /about'],
  ['POST /about.rsc', {}, 'react-router action /about'],
  ['GET /_root.manifest?paths=/a', {}, 'slice /'],
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

import { expect, it } from 'vitest';

import { readCaching } from '#flight';

import { keepResponseHeaders } from '../../watch/keep-headers.ts';
import { describeOne, html, push, rows } from './testing/create-exchange.ts';

const payload = [[1, '0:{"b":"x","f":[[["",{"children":["cart",{}]}]]],"S":false}\n']] as const;
const next = { rsc: '1', 'next-router-state-tree': '%5B%22%22%5D' };

async function describeCaching(given: Parameters<typeof describeOne>[0]) {
  const [entry] = await describeOne(given);
  const parsed: unknown = JSON.parse(entry?.head.caching ?? 'null');
  return readCaching(parsed);
}

it('names the headers that asked for a payload at its page’s address', async () => {
  const flat = [
    'Cache-Control',
    's-maxage=60',
    'Vary',
    'rsc',
    'vary',
    'accept',
    'Set-Cookie',
    'sid=secret',
    'X-Other',
    'x',
  ];
  const responseHeaders = { ...rows.responseHeaders, ...keepResponseHeaders(flat) };
  const asked = { responseHeaders, chunks: payload, requestHeaders: next };
  expect(await describeCaching({ ...asked, target: '/cart?size=2' })).toEqual({
    headers: { 'cache-control': 's-maxage=60', vary: 'rsc, accept' },
    setsCookie: true,
    askedBy: ['rsc', 'next-router-state-tree'],
  });
  expect(await describeCaching({ ...asked, target: '/cart?size=2&_rsc=1a' })).toMatchObject({ askedBy: [] });
  expect(JSON.stringify(responseHeaders)).not.toContain('secret');
});

it('says that a page was asked for, whatever came', async () => {
  const page = { ...html, target: '/cart' };
  const headers = { 'cache-control': 'private' };
  expect(
    await describeCaching({
      ...page,
      responseHeaders: { ...html.responseHeaders, ...headers },
      chunks: [[1, push('0:1\n')]],
    }),
  ).toEqual({ headers, setsCookie: false, askedBy: null });
  expect(await describeCaching({ ...page, ...rows, chunks: payload })).toEqual({
    headers: {},
    setsCookie: false,
    askedBy: null,
  });
  // A static export has its payloads in files.
  expect(await describeCaching({ ...page, ...rows, target: '/cart.txt', chunks: payload })).toBeUndefined();
});

it('is nothing of what no cache keeps, and of what says nothing', async () => {
  const asked = { ...rows, target: '/cart', chunks: payload, requestHeaders: next };
  expect(await describeCaching(asked)).toBeUndefined();
  const responseHeaders = { ...rows.responseHeaders, vary: 'rsc' };
  expect(await describeCaching({ ...asked, responseHeaders })).toBeDefined();
  expect(await describeCaching({ ...asked, responseHeaders, method: 'POST' })).toBeUndefined();
});

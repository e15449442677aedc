import { expect, it } from 'vitest';

import { readFraming } from './read-framing.ts';

type Case = readonly [method: string, target: string, headers: readonly string[], isFramedElsewhere?: boolean];

function read([method, target, headers, isFramedElsewhere = false]: Case): unknown {
  return readFraming({ method, target, headers, isFramedElsewhere });
}

const chunked = ['Transfer-Encoding', 'Chunked'];

it.each<[unknown, Case]>([
  [{ type: 'none' }, ['GET', '/a?b', []]],
  [{ type: 'none' }, ['HEAD', '/', ['Content-Length', '0']]],
  [{ type: 'none' }, ['OPTIONS', '/', [], true]],
  [{ type: 'length', length: 7 }, ['POST', '/', ['Content-Length', ' 7 ']]],
  [{ type: 'length', length: 7 }, ['PUT', '/', ['Content-Length', '7'], true]],
  [{ type: 'length', length: 0 }, ['POST', '/', []]],
  [{ type: 'chunked' }, ['POST', '/', chunked]],
  [{ type: 'chunked' }, ['POST', '/', [], true]],
])('is %j for %j', (framing, given) => {
  expect(read(given)).toEqual(framing);
});

it.each<readonly [string, string, readonly string[]]>([
  ['GET', '/', chunked],
  ['HEAD', '/', chunked],
  ['OPTIONS', '/', chunked],
  ['GET', '/', ['Content-Length', '1']],
  ['OPTIONS', '/', ['content-length', '1']],
  ['POST', '/', [...chunked, 'Content-Length', '1']],
  ['POST', '/', [...chunked, ...chunked]],
  ['POST', '/', ['Content-Length', '1', 'Content-Length', '1']],
  ['POST', '/', ['Transfer-Encoding', 'gzip, chunked']],
  ['POST', '/', ['Content-Length', '1e3']],
  ['POST', '/', ['Content-Length', '1234567890123456']],
  ['GET', 'http://user:p@127.0.0.1/_flight/flights', []],
  ['OPTIONS', '*', []],
])('refuses %s %s with %j', (method, target, headers) => {
  expect(read([method, target, headers])).toEqual({ type: 'refused', status: 400 });
});

it.each(['DELETE', 'PATCH', 'TRACE', 'CONNECT', 'PROPFIND', 'get'])('refuses %s, which nothing takes', (method) => {
  expect(read([method, '/', []])).toEqual({ type: 'refused', status: 405 });
});

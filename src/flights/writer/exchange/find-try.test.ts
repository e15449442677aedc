import { readdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Exchange } from '../../watch/exchange.ts';
import { lookAtRequest } from '../../watch/look-at-request.ts';
import { readFixture, toExchange } from '../../watch/testing/read-fixture.ts';
import { findTry } from './find-try.ts';

/** Bodies have a shape to be recognised, and are read by nobody but our decoder. */
const actionId = '40'.padEnd(42, 'a');

type Given = { readonly headers?: Record<string, string>; readonly facts?: Partial<Exchange['facts']> };

function call(body: string, { headers = {}, facts = {} }: Given = {}): Exchange {
  const requestHeaders = {
    'next-action': actionId,
    'content-type': 'text/plain',
    'content-length': `${Buffer.byteLength(body)}`,
    ...headers,
  };
  const request = { method: 'POST', target: '/checkout?step=2', headers: requestHeaders };
  const base = toExchange({
    request: { ...request, headers: [] },
    response: { status: 500, headers: [] },
    chunks: [],
    expected: { framework: '', kind: '', route: null, digests: [] },
  });
  const args = Buffer.from(body);
  const look = lookAtRequest(request);
  return { ...base, args, facts: { ...base.facts, requestHeaders, look, requestBytes: args.length, ...facts } };
}

const forged = '[{"password":"x","a":1},"$0:0:constructor"]';

it('has what a person wants to know of a try, and nothing that is secret by its name', () => {
  expect(findTry(call(forged))).toEqual({
    app: 'shop',
    rule: 'path',
    advisory: 'CVE-2025-55182',
    network: '192.0.2.0/24',
    status: 500,
    at: 1_763_760_000_000,
    path: '/checkout',
    action: actionId,
    detail: '"$0:0:constructor" leads to "constructor", which was not sent (part 0)',
    body: '[{"password":"[Filtered]","a":1},"$0:0:constructor"]',
  });
});

it('shows a body as it was spelled, and a long one from its beginning', () => {
  expect(findTry(call('[1,  {"a" : 2}]'))?.body).toBe('[1,  {"a" : 2}]');
  const long = findTry(call(`[${'"words",'.repeat(2_000)} "end"]`))?.body;
  expect([long?.length, long?.startsWith('["words","words"')]).toEqual([4_000, true]);
});

it('names the network of the sender, and no address', () => {
  const networkOf = (headers: Record<string, string>, peer = '10.0.0.7') =>
    findTry(call(forged, { headers, facts: { peer } }))?.network;
  expect(networkOf({ 'x-forwarded-for': '203.0.113.9' })).toBe('203.0.113.0/24');
  expect(networkOf({ 'x-forwarded-for': 'anything, 2001:db8:1:2::3' })).toBe('2001:db8:1::/48');
  expect(networkOf({ 'x-forwarded-for': '<script>' })).toBe('10.0.0.0/24');
  expect(networkOf({}, 'unknown')).toBe('unknown');
});

it('an id that no build gives is a try, and one that a build may have given is none', () => {
  expect(findTry(call('[]'))).toBeUndefined();
  expect(findTry(call('[]', { headers: { 'next-action': 'x' } }))).toMatchObject({
    rule: 'unknown-action',
    action: 'x',
  });
});

describe('what is not judged', () => {
  it.each<[string, Exchange]>([
    ['what came in part', call(forged.slice(0, 20), { headers: { 'content-length': '43' } })],
    ['what has no length and was left', call('[1,', { headers: { 'content-length': '' }, facts: { outcome: 'left' } })],
    [
      'another body of the app',
      call('a=1', { facts: { look: lookAtRequest({ method: 'POST', target: '/', headers: {} }) } }),
    ],
    ['a request that has just begun', call(forged, { facts: { outcome: 'begun' } })],
  ])('%s', (_, exchange) => {
    expect(findTry(exchange)).toBeUndefined();
  });
});

it('a form without JavaScript is judged by its own fields', () => {
  const boundary = '----b';
  const field = (name: string, value: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const send = (...fields: string[]) =>
    call(`${fields.join('')}--${boundary}--\r\n`, {
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      facts: { look: lookAtRequest({ method: 'POST', target: '/', headers: {} }) },
    });
  const bound = field('$ACTION_1:0', '{"id":"f#a","bound":"$@1"}');
  expect(findTry(send(field('$ACTION_REF_1', ''), bound, field('$ACTION_1:1', '[1]')))).toBeUndefined();
  expect(findTry(send(field('$ACTION_REF_1', ''), bound, field('$ACTION_1:1', '["$0:then"]')))?.rule).toBe('path');
});

const fixtures = path.join(import.meta.dirname, '../../watch/fixtures');
const recorded = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));

it.each(recorded)('a browser sent %s', (name) => {
  const fixture = readFixture(name);
  const length = { 'content-length': `${Buffer.byteLength(fixture.request.body ?? '', 'base64')}` };
  const exchange = toExchange(fixture);
  const requestHeaders = { ...length, ...exchange.facts.requestHeaders };
  expect(findTry({ ...exchange, facts: { ...exchange.facts, requestHeaders } })).toBeUndefined();
});

it('there are recorded requests that call something', () => {
  const called = recorded.filter((name) => readFixture(name).request.body !== undefined);
  expect(called.length).toBeGreaterThan(20);
});

import { readdirSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { createScreen } from './screen-requests.ts';
import { readFixture } from './testing/read-fixture.ts';

const encoder = new TextEncoder();
const screen = createScreen(true);

function judge(headers: readonly string[], body: string, method = 'POST'): boolean | undefined {
  return screen({ method, target: '/act', headers })?.isRefused(encoder.encode(body));
}

const call = ['Next-Action', '40'.padEnd(42, 'a'), 'Content-Type', 'text/plain;charset=UTF-8'];

it('refuses what no client could have written, and nothing for its action’s id alone', () => {
  expect(judge(call, '[1]')).toBe(false);
  expect(judge(call, '["$0:constructor"]')).toBe(true);
  expect(judge(['Next-Action', 'x'], '[]')).toBe(false);
});

const boundary = 'b';
const bound = '{"id":"a","bound":"$@1"}';
const multipart = ['content-type', `multipart/form-data; boundary=${boundary}`];
const encoded = ['content-type', 'application/x-www-form-urlencoded'];
const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const forgedForm = `${field('$ACTION_REF_1', '')}${field('$ACTION_1:0', bound)}${field('$ACTION_1:1', '["$0:then"]')}--b--\r\n`;
const encodedForm = (last: string) =>
  `%24ACTION_REF_1=&%24%41CTION_1%3A0=${encodeURIComponent(bound)}&%24ACTION_1%3A1=${encodeURIComponent(last)}`;

it.each([
  ['a call that says it is packed', [...call, 'content-encoding', 'gzip'], '["$0:then"]', 'POST', '/act'],
  ['a form that says so', [...multipart, 'content-encoding', 'x'], forgedForm, 'POST', '/'],
  ['a form with another type before its own', ['content-type', `text/plain, ${multipart[1]}`], forgedForm, 'POST', '/'],
  ['a form with two types', ['content-type', 'text/plain', ...multipart], forgedForm, 'POST', '/'],
  ['a form behind a long type', ['content-type', `${'a'.repeat(9_000)}, ${multipart[1]}`], forgedForm, 'POST', '/'],
  ['a call as an encoded form', [...call.slice(0, 2), ...encoded], '["&0=%5B%22%240:then%22%5D&"]', 'POST', '/act'],
  ['a form by PUT', multipart, forgedForm, 'PUT', '/'],
  ['a form in the other encoding', encoded, encodedForm('["$0:then"]'), 'POST', '/'],
  ['what Waku reads for a payload', ['content-type', 'text/plain'], '["$0:then"]', 'POST', '/RSC/R/_root.txt'],
  ['an action of Waku by a way around', ['content-type', 'text/plain'], '["$0:then"]', 'POST', '/x/%2e./RSC/F/a/b.txt'],
  [
    'an action of Waku behind a base path',
    ['content-type', 'text/plain'],
    '["$0:then"]',
    'POST',
    '/base/RSC/F/a/b.txt',
  ],
  ['any address of Waku behind one', ['content-type', 'text/plain'], '["$0:then"]', 'POST', '/base/RSC/a/R/act.txt'],
  ['an action of Waku that seems Next.js', ['rsc', '1'], '["$0:then"]', 'POST', '/RSC/F/a/b.txt'],
  ['one of React Router that seems Next.js', ['rsc', '1', 'rsc-action-id', 'a'], '["$0:then"]', 'POST', '/act'],
  ['one of React Router that seems RedwoodSDK', ['rsc-action-id', 'a'], '["$0:then"]', 'POST', '/act?__rsc'],
  ['one of Vite that seems Next.js', ['rsc', '1', 'x-rsc-action', 'a'], '["$0:then"]', 'POST', '/act'],
  ['one of RedwoodSDK that seems Next.js', ['rsc', '1'], '["$0:then"]', 'POST', '/?__rsc_action_id=a'],
  ['a reference of many steps', call, `["$0${':'.repeat(200_000)}"]`, 'POST', '/act'],
  ['an action of RedwoodSDK by another spelling', [], '["$0:then"]', 'POST', '/?_%5frsc_action_id=a'],
  ['a form at an address of TanStack Start', multipart, forgedForm, 'POST', '/_serverFn/x'],
])('refuses %s', (_, headers, body, method, target) => {
  expect(screen({ method, target, headers })?.isRefused(encoder.encode(body))).toBe(true);
});

it('refuses unseen, as set, a form that names an action and has too many values', () => {
  const many = `${field('$ACTION_REF_1', '')}${field('$ACTION_1:0', `[${'1,'.repeat(30_000)}1]`)}--b--\r\n`;
  const judgeMany = (refuses: boolean) =>
    createScreen(refuses)({ method: 'POST', target: '/', headers: multipart })?.isRefused(encoder.encode(many));
  expect([judgeMany(true), judgeMany(false)]).toEqual([true, false]);
});

it('lets an encoded form through that a page can have', () => {
  expect(judge(encoded, encodedForm('[1]'))).toBe(false);
  expect(judge(encoded, 'price=%245&name=a')).toBe(false);
});

it('passes or refuses unseen, as set, what has too many values to look at', () => {
  const pairs = (count: number, last: string) => `[${'["$Q1",1],'.repeat(count)}${last}]`;
  expect(judge(call, pairs(3_000, '"$0:constructor"'))).toBe(true);
  expect(judge(call, pairs(20_000, '"$0:constructor"'))).toBe(true);
  const passing = createScreen(false)({ method: 'POST', target: '/act', headers: call });
  expect(passing?.isRefused(encoder.encode(pairs(3_000, '"$0:constructor"')))).toBe(true);
  expect(passing?.isRefused(encoder.encode(pairs(20_000, '"$0:constructor"')))).toBe(false);
});

it('leaves alone what calls nothing', () => {
  expect(judge([], '["$0:constructor"]')).toBeUndefined();
  expect(judge(['content-type', 'application/json'], '{"a": 1}')).toBeUndefined();
  expect(judge(call, '', 'GET')).toBeUndefined();
  const form = ['content-type', 'multipart/form-data; boundary=b'];
  expect(judge(form, '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n$0:then\r\n--b--\r\n')).toBe(false);
  expect(screen({ method: 'POST', target: '/', headers: form })?.refusesLarger).toBe(false);
  expect(screen({ method: 'POST', target: '/', headers: call })?.refusesLarger).toBe(true);
  expect(screen({ method: 'POST', target: '/RSC/R/_root.txt', headers: [] })?.refusesLarger).toBe(true);
  expect(createScreen(false)({ method: 'POST', target: '/', headers: call })?.refusesLarger).toBe(false);
});

const fixtures = path.join(import.meta.dirname, 'fixtures');
const recorded = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('action'));

it.each(recorded)('lets through %s', (name) => {
  const { request } = readFixture(name);
  const screening = screen(request);
  expect(screening?.isRefused(Buffer.from(request.body ?? '', 'base64')) ?? false).toBe(false);
});

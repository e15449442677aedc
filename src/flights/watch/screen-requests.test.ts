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
  expect(createScreen(false)({ method: 'POST', target: '/', headers: call })?.refusesLarger).toBe(false);
});

const fixtures = path.join(import.meta.dirname, 'fixtures');
const recorded = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('action'));

it.each(recorded)('lets through %s', (name) => {
  const { request } = readFixture(name);
  const screening = screen(request);
  expect(screening?.isRefused(Buffer.from(request.body ?? '', 'base64')) ?? false).toBe(false);
});

import { expect, it } from 'vitest';

import { createContext } from './request-context.ts';

const { signal } = new AbortController();

function create(headers: Headers = new Headers()) {
  return createContext({ method: 'GET', path: '/', headers, address: '', signal }, false);
}

it('ids begin with their time, in milliseconds, and go on at random', () => {
  const before = Date.now();
  const contexts = Array.from({ length: 1_000 }, () => create());
  const after = Date.now();
  for (const { id, traceId } of contexts) {
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    const passed = (Number.parseInt(id.slice(0, 8), 16) - (before % 2 ** 32) + 2 ** 32) % 2 ** 32;
    expect(passed).toBeLessThanOrEqual(after - before);
    expect(traceId.slice(0, 8)).toBe(id.slice(0, 8));
  }
  const ends = contexts.flatMap(({ id, traceId }) => [id.slice(8), traceId.slice(8)]);
  expect(new Set(ends).size).toBe(2_000);
});

it('a trace that a client has begun goes on', () => {
  const trace = 'a'.repeat(32);
  expect(create(new Headers({ 'sentry-trace': `${trace}-${'b'.repeat(16)}-1` })).traceId).toBe(trace);
});

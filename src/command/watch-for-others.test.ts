import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { SeenRequest } from '#src/proxy/watch.ts';

import { watchForOthers } from './watch-for-others.ts';

const local = '127.0.0.1';
const lines: unknown[] = [];

beforeEach(() => {
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  lines.length = 0;
});

function ask(peer: string, headers: readonly string[]): SeenRequest {
  return { peer, headers, method: 'GET', target: '/', startedAt: 0 };
}

it.each([
  [local, ['X-Forwarded-For', '203.0.113.7, 127.0.0.1'], true],
  ['::ffff:127.0.0.1', ['x-forwarded-for', '203.0.113.7'], true],
  [local, ['X-Forwarded-Host', 'shop.example'], true],
  [local, ['Host', 'shop.example', 'X-Forwarded-Proto', 'https'], true],
  [local, ['Host', 'shop.example'], false],
  [local, ['Host', 'localhost:3000', 'X-Forwarded-Proto', 'http'], false],
  [local, ['X-Forwarded-For', '127.0.0.1', 'X-Forwarded-Host', 'shop.test'], false],
  [local, ['X-Forwarded-Host', ':::'], false],
  [local, [], false],
  ['192.0.2.1', ['X-Forwarded-For', '203.0.113.7'], false],
])('from %s with %j: %s', (peer, headers, expected) => {
  const noteOthers = vi.fn(() => true);
  watchForOthers(() => undefined, noteOthers)(ask(peer, headers));
  expect([noteOthers.mock.calls.length, lines.length]).toEqual(expected ? [1, 1] : [0, 0]);
});

it('is said once, at the first of them, which is watched as the others are', () => {
  const watched: SeenRequest[] = [];
  const noteOthers = vi.fn(() => true);
  const watch = watchForOthers((request) => {
    // What is kept of the first is decided before it is watched.
    expect(noteOthers).toHaveBeenCalledTimes(watched.length === 0 ? 0 : 1);
    watched.push(request);
    return undefined;
  }, noteOthers);
  const forwarded = ask(local, ['X-Forwarded-For', '203.0.113.7']);
  for (const request of [ask(local, []), forwarded, forwarded]) watch(request);
  expect(watched).toHaveLength(3);
  expect(lines).toEqual([expect.stringContaining('only failures are kept from now on')]);
});

it('is not said where nothing changes with it', () => {
  watchForOthers(
    () => undefined,
    () => false,
  )(ask(local, ['X-Forwarded-For', '203.0.113.7']));
  expect(lines).toEqual([]);
});

import { expect, it, vi } from 'vitest';

import { createTapGuard } from './guard-tap.ts';
import type { SeenRequest, Tap } from './watch.ts';

const request: SeenRequest = { method: 'GET', target: '/', headers: [], startedAt: 0, peer: '127.0.0.1' };

function fail(): never {
  throw new Error('broken');
}

function guard(more: Partial<Tap> = {}) {
  const tap = { requestBody: vi.fn(), response: vi.fn(() => true), body: vi.fn(), end: vi.fn(), ...more };
  const guarded = createTapGuard(() => tap);
  return { tap, guarded, watched: guarded.watch(request) };
}

it('passes everything on, and the end once', () => {
  const { tap, watched } = guard();
  const chunk = new Uint8Array(1);
  watched?.requestBody(chunk);
  watched?.response(200, ['A', 'b']);
  watched?.body(chunk);
  watched?.end('complete');
  watched?.end('left');
  expect(tap.requestBody).toHaveBeenCalledExactlyOnceWith(chunk);
  expect(tap.response).toHaveBeenCalledExactlyOnceWith(200, ['A', 'b']);
  expect(tap.body).toHaveBeenCalledExactlyOnceWith(chunk);
  expect(tap.end).toHaveBeenCalledExactlyOnceWith('complete');
});

it('keeps the body from a tap that does not want it, and tells it the end', () => {
  const { tap, watched } = guard({ response: () => false });
  watched?.response(200, []);
  watched?.body(new Uint8Array(1));
  watched?.end('broken');
  expect(tap.body).not.toHaveBeenCalled();
  expect(tap.end).toHaveBeenCalledOnce();
});

it.each(['requestBody', 'response', 'body', 'end'] as const)(
  'counts what %s throws, and calls nothing after it',
  (name) => {
    const { tap, guarded, watched } = guard({ [name]: vi.fn(fail) });
    for (let round = 0; round < 2; round += 1) {
      watched?.requestBody(new Uint8Array(1));
      watched?.response(200, []);
      watched?.body(new Uint8Array(1));
      watched?.end('complete');
    }
    expect(tap[name]).toHaveBeenCalledOnce();
    expect(guarded.readFailures()).toBe(1);
    if (name !== 'end') expect(tap.end).not.toHaveBeenCalled();
  },
);

it('counts a watch that throws, and watches the next request', () => {
  let isBroken = true;
  const guarded = createTapGuard(() => (isBroken ? fail() : undefined));
  expect(guarded.watch(request)).toBeUndefined();
  isBroken = false;
  expect(guarded.watch(request)).toBeUndefined();
  expect(guarded.readFailures()).toBe(1);
});

it('a tap may do without the request’s body', () => {
  const guarded = createTapGuard(() => ({ response: () => true, body: () => undefined, end: () => undefined }));
  guarded.watch(request)?.requestBody(new Uint8Array(1));
  expect(guarded.readFailures()).toBe(0);
});

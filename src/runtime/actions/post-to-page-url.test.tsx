import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { readDigest } from '#report/digest.ts';
import { readRefusal } from './action-errors.ts';
import { keepInput, latestRefusal, showRefusal } from './latest-refusal.ts';
import { postToPageUrl } from './post-to-page-url.ts';

type Sent = { readonly url: string; readonly init: RequestInit };

let sent: Sent[] = [];
let respond: () => Promise<Response> = async () => new Response('');

async function transport(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  sent.push({ url: String(input), init });
  return respond();
}

/** What Waku does below the enhancer: encodes the arguments, which takes a turn, then sends. */
const request = postToPageUrl(async (rscPath, body, options) => {
  await Promise.resolve();
  const init = body instanceof FormData || typeof body === 'string' ? { method: 'POST', body } : {};
  await options.fetch(`/RSC/${rscPath}.txt`, init);
  return { elements: {}, value: 'the value' };
});

function call(body: string | FormData = '[]') {
  return request('F/0123456789ab/saveOrder', body, { type: 'call', fetch: transport });
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([promise]);
  return result.status === 'rejected' ? result.reason : undefined;
}

function answer(status: number, body: string, headers: Record<string, string> = {}): void {
  respond = async () => new Response(body, { status, headers });
}

beforeEach(() => {
  sent = [];
  answer(200, '');
  history.replaceState(null, '', '/orders?page=2');
});

afterEach(() => showRefusal(undefined));

test('a call goes to the URL of the moment it was called, with its id in the header', async () => {
  const result = call();
  history.replaceState(null, '', '/elsewhere');
  expect(await result).toMatchObject({ value: 'the value' });
  expect(sent.map(({ url }) => url)).toEqual(['/orders?page=2']);
  expect(new Headers(sent[0]?.init.headers).get('x-flight-action')).toBe('0123456789ab/saveOrder');
});

test('other requests are left alone', async () => {
  await request('R/orders', undefined, { type: 'rsc', fetch: transport });
  expect(sent).toEqual([{ url: '/RSC/R/orders.txt', init: {} }]);
});

test('calls do not wait for each other', async () => {
  const gate = Promise.withResolvers<Response>();
  respond = () => gate.promise;
  const all = Promise.all([call(), call(), call()]);
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  gate.resolve(new Response(''));
  await all;
});

test('small bodies outlive the page, within what a browser allows in all', async () => {
  const gate = Promise.withResolvers<Response>();
  respond = () => gate.promise;
  const eightKibibytes = 'x'.repeat(8 * 1024);
  const all = Promise.all([call(eightKibibytes), call(eightKibibytes), call(new FormData())]);
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  expect(sent.map(({ init }) => init.keepalive)).toEqual([true, undefined, undefined]);
  gate.resolve(new Response(''));
  await all;
  await call(eightKibibytes);
  expect(sent[3]?.init.keepalive).toBe(true);
});

test('an action that threw rejects with the server’s digest, for the boundary', async () => {
  answer(500, 'failed', { 'x-flight-digest': '0123456789' });
  const error = await failureOf(call());
  expect(readDigest(error)).toBe('0123456789');
  expect(readRefusal(error)).toBeUndefined();
  expect(latestRefusal()).toBeUndefined();
});

test('a refusal rejects with its code and is shown', async () => {
  answer(409, '{"error":{"code":"unknown-action","message":"whatever the network says"}}');
  const error = await failureOf(call());
  expect(readRefusal(error)).toEqual({ code: 'unknown-action' });
  expect(latestRefusal()).toEqual({ code: 'unknown-action' });
});

test.each([
  [502, '<h1>Bad gateway</h1>', {}],
  [400, '{"error":{"code":"constructor"}}', {}],
  [400, 'null', {}],
  [500, 'failed', { 'x-flight-digest': 'not one of ours' }],
])('a %i that is not ours is told by its status: %s', async (status, body, headers) => {
  answer(status, body, headers);
  expect(readRefusal(await failureOf(call()))).toEqual({ code: 'unexpected', status });
});

test('no answer is told as such, with its cause', async () => {
  respond = async () => {
    throw new TypeError('Failed to fetch');
  };
  const error = await failureOf(call());
  expect(readRefusal(error)).toEqual({ code: 'unreachable' });
  expect(error).toHaveProperty('cause', expect.any(TypeError));
});

test.each([
  ['a form’s own action', (form: FormData) => [form], undefined],
  ['an action with a state', (form: FormData) => ['before', form], 'before'],
  ['an action with bound arguments and a state', (form: FormData) => [7, 'before', form], 'before'],
])('a refused call of a form leaves its state as it was, and is shown: %s', async (_name, toArguments, state) => {
  answer(401, '{"error":{"code":"not-signed-in","message":"whatever the network says"}}');
  const args: unknown = toArguments(new FormData());
  expect(await request('F/0123456789ab/saveOrder', args, { type: 'call', fetch: transport })).toEqual({
    elements: {},
    value: state,
  });
  expect(latestRefusal()).toEqual({ code: 'not-signed-in' });
});

test('a form’s action that threw rejects', async () => {
  answer(500, 'failed', { 'x-flight-digest': '0123456789' });
  const result = request('F/0123456789ab/saveOrder', [new FormData()], { type: 'call', fetch: transport });
  expect(readDigest(await failureOf(result))).toBe('0123456789');
});

test('a form is not reset while the notice says that its input is there', () => {
  const reset = () => new Event('reset', { cancelable: true });
  const [refused, passed] = [reset(), reset()];
  showRefusal({ code: 'not-signed-in' });
  keepInput(refused);
  showRefusal(undefined);
  keepInput(passed);
  expect([refused.defaultPrevented, passed.defaultPrevented]).toEqual([true, false]);
});

test('the next success takes the notice away', async () => {
  showRefusal({ code: 'unreachable' });
  await call();
  expect(latestRefusal()).toBeUndefined();
});

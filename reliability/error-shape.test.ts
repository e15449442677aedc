import { afterAll, beforeAll, expect, test } from 'vitest';

import { exchangeRaw } from './testing/exchange-raw.ts';
import { signIn } from './testing/sign-in.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/** Every endpoint with bad input: one shape, the headers that go with it, and one line in the log with the same id. */
let server: RunningServer;
let cookie: string;

beforeAll(async () => {
  server = await startServer({ env: { FLIGHT_AUTH: 'on' } });
  cookie = await signIn(server);
});

afterAll(() => server[Symbol.asyncDispose]());

type Bad = {
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
};

const own = 'Sec-Fetch-Site: same-origin';
const cspType = 'Content-Type: application/csp-report';
const formType = 'Content-Type: application/x-www-form-urlencoded';
const json = 'Accept: application/json';
const long = 'x'.repeat(70_000);
const chunked = 'Transfer-Encoding: chunked';

function chunk(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

type Case = readonly [target: string, bad: Bad, status: number, code: string, isSilent?: 'no line'];

/** The path; `(session)` is sent by somebody who is signed in. */
const cases: readonly Case[] = [
  ['/tunnel', { method: 'GET' }, 405, 'wrong-method'],
  ['/tunnel', { method: 'POST', body: 'hello' }, 400, 'malformed-request'],
  ['/tunnel', { method: 'POST', headers: [own, 'Content-Encoding: br'], body: 'x' }, 415, 'unsupported-encoding'],
  ['/tunnel', { method: 'POST', headers: ['Content-Encoding: gzip'], body: 'x' }, 400, 'malformed-request'],
  ['/api/shop/errors', { method: 'POST', body: '{}' }, 401, 'wrong-key'],
  ['/tunnel', { method: 'POST', body: '{"dsn":"https://key@evil.test/1"}\n' }, 403, 'wrong-dsn'],
  ['/tunnel', { method: 'POST', headers: [chunked], body: chunk('x'.repeat(2 ** 20 + 1)) }, 413, 'body-too-large'],
  ['/api/2/envelope/', { method: 'GET' }, 405, 'wrong-method'],
  ['/api/2/envelope/', { method: 'POST', body: '{}' }, 403, 'unknown-key'],
  ['/api/2/store/?sentry_key=x', { method: 'POST', body: '{}' }, 403, 'unknown-key'],
  ['/csp-report', { method: 'GET' }, 405, 'wrong-method'],
  ['/csp-report', { method: 'POST', body: '{}' }, 415, 'unsupported-type'],
  ['/csp-report', { method: 'POST', headers: [cspType], body: '{' }, 400, 'malformed-request'],
  ['/csp-report', { method: 'POST', headers: [cspType], body: long }, 413, 'body-too-large'],
  ['/csp-report', { method: 'POST', headers: [cspType, chunked], body: chunk(long) }, 413, 'body-too-large'],
  [
    '/csp-report',
    { method: 'POST', headers: [cspType, 'Content-Encoding: gzip'], body: 'x' },
    415,
    'unsupported-encoding',
  ],
  ['/_api/flight-usage', { method: 'POST', headers: [own], body: 'x' }, 401, 'not-signed-in'],
  ['/_api/flight-usage (session)', { method: 'GET' }, 405, 'wrong-method'],
  ['/_api/flight-usage (session)', { method: 'POST', body: 'x' }, 403, 'wrong-origin'],
  ['/_api/flight-usage (session)', { method: 'POST', headers: [own], body: 'x' }, 400, 'malformed-request'],
  ['/_api/flight-usage (session)', { method: 'POST', headers: [own], body: long }, 413, 'body-too-large'],
  ['/healthz', { method: 'POST' }, 405, 'wrong-method'],
  ['/readyz', { method: 'DELETE' }, 405, 'wrong-method'],
  ['/login', { method: 'PUT' }, 405, 'wrong-method'],
  ['/login', { method: 'POST', headers: [json], body: 'x' }, 403, 'wrong-origin'],
  ['/login', { method: 'POST', headers: [json, own], body: 'x' }, 415, 'unsupported-type'],
  ['/login', { method: 'POST', headers: [json, own, formType], body: long }, 413, 'form-too-large'],
  ['/login', { method: 'POST', headers: [json, own, formType], body: 'code=a&code=b' }, 400, 'malformed-request'],
  ['/login', { method: 'POST', headers: [json, own, formType], body: '' }, 400, 'nothing-given', 'no line'],
  ['/logout', { method: 'GET' }, 405, 'wrong-method'],
  ['/flights/events', {}, 401, 'not-signed-in'],
  ['/flights/events?digest=none (session)', {}, 400, 'malformed-request'],
  ['/flights/events (session)', { method: 'POST', headers: [own], body: 'x' }, 405, 'wrong-method'],
  ['/flights/99999999/payload (session)', {}, 404, 'not-found'],
  ['/flights/x/payload (session)', {}, 404, 'not-found'],
  ['/flights/99999999/export (session)', {}, 404, 'not-found'],
  ['/flights/99999999/export (session)', { method: 'PUT', headers: [own], body: 'x' }, 405, 'wrong-method'],
  ['/flights/99999999/one-file (session)', {}, 404, 'not-found'],
  ['/decode/one-file', {}, 401, 'not-signed-in'],
  ['/assets/gone.js', {}, 404, 'not-found', 'no line'],
  ['/runtime (session)', { method: 'PATCH', headers: [own] }, 405, 'wrong-method'],
  ['/runtime (session)', { method: 'POST', headers: [own], body: '{}' }, 415, 'unsupported-type'],
  ['/runtime (session)', { method: 'POST', headers: [own, 'X-Flight-Action: x'], body: '[]' }, 400, 'malformed-action'],
  ['/runtime (session)', { method: 'POST', headers: [own, 'X-Flight-Action: a/b'], body: '[]' }, 409, 'unknown-action'],
  ['/RSC/F/a/b.txt (session)', {}, 404, 'not-public'],
  ['/RSC/R/runtime.txt (session)', { method: 'POST', headers: [own], body: 'x' }, 405, 'wrong-method'],
  ['//', {}, 400, 'malformed-request'],
  [`/${'x'.repeat(8192)}`, {}, 414, 'target-too-long'],
  ['/', { method: 'BREW' }, 400, 'malformed-request'],
  ['/', { method: 'TRACE' }, 405, 'wrong-method'],
  ['/', { headers: ['Expect: tea'] }, 417, 'expectation-failed'],
  ['/', { headers: Array.from({ length: 100 }, (_, index) => `X-${index}: 1`) }, 431, 'headers-too-large'],
];

/** Relay's word for it stands beside ours. */
const isForSdks = /^\/tunnel|^\/api\/\d/;

const rows = cases.map(([target, bad, status, code, isSilent]) => [target, bad, status, code, isSilent ?? ''] as const);

test.each(rows)('%s %j: %i %s', async (named, { method = 'GET', headers = [], body }, status, code, isSilent) => {
  const isSignedIn = named.endsWith(' (session)');
  const target = named.replace(' (session)', '');
  const length = body === undefined || headers.includes(chunked) ? [] : [`Content-Length: ${body.length}`];
  const all = [`Host: ${server.host}`, 'Connection: close', ...headers, ...length];
  if (isSignedIn) all.push(`Cookie: ${cookie}`);
  let text = '';
  const lines = await server.linesAfter(async () => {
    ({ text } = await exchangeRaw(
      server.port,
      `${method} ${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body ?? ''}`,
    ));
  });
  const at = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...head] = text.slice(0, at).toLowerCase().split('\r\n');
  expect(statusLine).toMatch(new RegExp(`^http/1.1 ${status} `));
  expect(head).toEqual(
    expect.arrayContaining([
      'content-type: application/json; charset=utf-8',
      'cache-control: private, no-store',
      'x-content-type-options: nosniff',
    ]),
  );
  expect(JSON.parse(/\{.*\}/.exec(text.slice(at))?.[0] ?? '')).toEqual({
    error: { code, message: expect.any(String) },
    ...(isForSdks.test(target) ? { detail: expect.any(String) } : {}),
  });
  const requestId = head.find((line) => line.startsWith('x-request-id: '))?.slice('x-request-id: '.length);
  const told = lines.map(({ event, fields }) => [event, fields['code'], fields['status'], fields['requestId']]);
  expect(told).toEqual(isSilent ? [] : [['request-refused', code, status, requestId]]);
});

test('the tunnel and the reports are limited, and say when to come back', async () => {
  for (const [target, headers, status] of [
    ['/csp-report', [cspType], 204],
    ['/tunnel', [], 200],
  ] as const) {
    const body = target === '/tunnel' ? '{}\n' : '{"csp-report":{}}';
    const sent = `POST ${target} HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n${headers.map((line) => `${line}\r\n`).join('')}Content-Length: ${body.length}\r\n\r\n${body}`;
    let text = '';
    for (let count = 0; count < 60 && !text.includes(' 429 '); count += 1) {
      ({ text } = await exchangeRaw(server.port, sent));
    }
    expect(text, `${target}, else ${status}`).toMatch(/^HTTP\/1\.1 429 /);
    expect(text).toMatch(/^retry-after: [1-9]/im);
    expect(text).toContain('{"error":{"code":"too-many-requests","message":"');
  }
});

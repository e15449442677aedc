import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { AppError } from '../sender/app-error.ts';

import { createReporter } from './index.ts';
import type * as declared from './public.d.ts';

let server: Server;
let url: string;
let received: AppError[];

beforeEach(async () => {
  received = [];
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { errors }: { errors: AppError[] } = JSON.parse(body);
      received.push(...errors);
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const found = server.address();
  url = `http://${'a'.repeat(32)}@127.0.0.1:${typeof found === 'object' ? found?.port : 0}/shop`;
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

afterEach(() => {
  server.close();
  vi.restoreAllMocks();
});

describe('createReporter', () => {
  it('has the types that are declared for others', () => {
    const create: typeof declared.createReporter = createReporter;
    expect(create).toBe(createReporter);
  });

  it('mints a digest of ours, and reports the error under it', async () => {
    const reporter = createReporter({ url, framework: 'react-router', release: 'r1' });
    const request = new Request('https://shop.test/orders.rsc?id=7', { headers: { 'x-request-id': 'req-1' } });
    const digest = reporter.onError(new TypeError('no order', { cause: new Error('gone') }), {
      request,
      route: '/orders',
    });
    expect(digest).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
    await reporter.settle();
    expect(received).toMatchObject([
      {
        digest,
        reporter: 'rsc',
        framework: 'react-router',
        release: 'r1',
        name: 'TypeError',
        message: 'no order',
        phase: 'rsc',
        kind: 'navigation',
        route: '/orders',
        request: { method: 'GET', path: '/orders.rsc?id', id: 'req-1' },
      },
    ]);
    expect(received[0]?.frames?.[0]).toMatchObject({ source: 'packages/report/src/rsc/index.test.ts', inApp: true });
    expect(received[0]?.causes?.[0]?.frames?.[0]).toMatchObject({
      source: 'packages/report/src/rsc/index.test.ts',
      inApp: true,
    });
    expect(console.error).toHaveBeenCalledWith(expect.any(TypeError), `digest: ${digest}`);
  });

  it('gives one error one digest, and reports it once, also its decoded copy', async () => {
    const reporter = createReporter({ url });
    const error = new Error('twice');
    const digest = reporter.onError(error);
    expect(reporter.onError(error, { componentStack: '\n    at Page' })).toBe(digest);
    expect(reporter.onError(Object.assign(new Error('hidden'), { digest }))).toBe(digest);
    await reporter.settle();
    expect(received).toHaveLength(1);
  });

  it('keeps the digest that another minted, and reports under it', async () => {
    const reporter = createReporter({ url });
    const error = Object.assign(new Error('x'), { digest: '2338734591' });
    expect(reporter.onError(error, { componentStack: '\n    at Page' })).toBe('2338734591');
    await reporter.settle();
    expect(received).toMatchObject([{ digest: '2338734591', phase: 'ssr', componentStack: '\n    at Page' }]);
  });

  it('leaves control flow alone', async () => {
    const reporter = createReporter({ url });
    expect(reporter.onError(Object.assign(new Error('x'), { digest: 'NEXT_NOT_FOUND' }))).toBe('NEXT_NOT_FOUND');
    expect(reporter.onError(new Response())).toBeUndefined();
    await reporter.settle();
    expect(received).toEqual([]);
    expect(console.error).not.toHaveBeenCalled();
  });

  it('mints without anybody to send to, and takes anything that was thrown', async () => {
    const reporter = createReporter({ url: '' });
    expect(reporter.onError('text')).toHaveLength(10);
    expect(reporter.onError(null)).toHaveLength(10);
    await reporter.settle();
  });
});

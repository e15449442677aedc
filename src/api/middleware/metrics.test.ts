import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { noteForwarded } from '#src/server/http/direct-request.ts';

import { metrics } from './metrics.ts';

const key = 'a-key-of-twenty-four-chars';
let log: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  vi.stubEnv('METRICS_KEY', key);
  log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function createEnv({ address = '127.0.0.1', isForwarded = false } = {}): { outgoing: ServerResponse } {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const incoming = new IncomingMessage(socket);
  incoming.headers.host = '127.0.0.1:3000';
  if (isForwarded) noteForwarded(incoming);
  return { outgoing: new ServerResponse(incoming) };
}

let loads = 0;

function createApp(): Hono {
  const app = new Hono();
  app.use(
    metrics(async () => {
      loads += 1;
      return async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: 'up 1\n' });
    }),
  );
  return app.notFound((c) => c.text('a page', 404));
}

describe('from this machine', () => {
  it('is answered without a key, as Prometheus reads it', async () => {
    const response = await createApp().request('/metrics', {}, createEnv());
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('up 1\n');
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(log).not.toHaveBeenCalled();
  });

  it('is loaded by the first who may ask, once', async () => {
    loads = 0;
    const app = createApp();
    expect((await app.request('/metrics', {}, createEnv({ address: '10.0.0.1' }))).status).toBe(401);
    expect(loads).toBe(0);
    await app.request('/metrics', {}, createEnv());
    await app.request('/metrics', {}, createEnv());
    expect(loads).toBe(1);
  });
});

const others = [
  ['from elsewhere', { address: '203.0.113.9' }],
  ['through a proxy on this machine', { isForwarded: true }],
] as const;

describe.each(others)('%s', (_name, given) => {
  async function ask(authorization?: string): Promise<Response> {
    const headers = authorization === undefined ? {} : { authorization };
    return createApp().request('/metrics', { headers }, createEnv(given));
  }

  it('is answered with the key', async () => {
    expect((await ask(`Bearer ${key}`)).status).toBe(200);
    expect((await ask(`bearer ${key}`)).status).toBe(200);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${key}x`,
    `Bearer ${key.slice(1)}`,
    `Bearer ${key.toUpperCase()}`,
    `Basic ${key}`,
    key,
    `Bearer ${'x'.repeat(10_000)}`,
  ])('is refused with %j, in the one shape and with one line', async (authorization) => {
    const response = await ask(authorization);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: { code: 'metrics-key', message: expect.any(String) } });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="metrics"');
    expect(log).toHaveBeenCalledOnce();
    expect(String(log.mock.calls[0]?.[0])).not.toContain(key);
  });

  it('is refused whatever it shows, where there is no key', async () => {
    vi.stubEnv('METRICS_KEY', '');
    for (const authorization of [undefined, 'Bearer undefined', 'Bearer ']) {
      expect((await ask(authorization)).status).toBe(401);
    }
  });
});

it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('does not take %s', async (method) => {
  const response = await createApp().request('/metrics', { method }, createEnv());
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it('answers HEAD, and nothing beside its path', async () => {
  const app = createApp();
  expect((await app.request('/metrics', { method: 'HEAD' }, createEnv())).status).toBe(200);
  for (const path of ['/metrics/', '/metrics/x', '/Metrics', '/']) {
    expect((await app.request(path, {}, createEnv())).status).toBe(404);
  }
});

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { LoadLevel } from './load-level.ts';
import { requestContext } from './request-context.ts';
import { createShedding, shed } from './shed.ts';

const requests = {
  report: ['/tunnel', { method: 'POST' }],
  prefetch: ['/RSC/R/lab.txt', { headers: { 'x-flight-prefetch': '1' } }],
  put: ['/lab', { method: 'PUT' }],
  document: ['/lab', {}],
  navigation: ['/RSC/R/lab.txt', {}],
  action: ['/lab', { method: 'POST', headers: { 'x-flight-action': 'a/b' } }],
  login: ['/login', { method: 'POST' }],
  health: ['/healthz', {}],
  readiness: ['/readyz', {}],
  asset: ['/assets/index.js', {}],
} as const satisfies Record<string, readonly [string, RequestInit]>;

type Name = keyof typeof requests;

let level: LoadLevel;
let held: PromiseWithResolvers<void> | undefined;
let app: Hono;
let logLines: Record<string, unknown>[];

function send(name: Name): Promise<Response> {
  const [path, init] = requests[name];
  return Promise.resolve(app.request(path, init));
}

beforeEach(() => {
  level = 'calm';
  held = undefined;
  logLines = [];
  const keep = (text: unknown) => logLines.push(JSON.parse(String(text))) > 0;
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  app = new Hono().use(requestContext(), shed(createShedding({ reports: ['/tunnel'], level: () => level })));
  app.all('*', async (c) => {
    await held?.promise;
    return c.text('done');
  });
});

afterEach(() => vi.restoreAllMocks());

describe('by load', () => {
  it.each([
    ['calm', []],
    ['no-reports', ['report']],
    ['no-others', ['report', 'prefetch', 'put']],
    ['no-pages', ['report', 'prefetch', 'put', 'document', 'navigation', 'action', 'login']],
  ] as const)('%s turns away %j', async (current, expected) => {
    level = current;
    const turnedAway: string[] = [];
    for (const name of ['report', 'prefetch', 'put', 'document', 'navigation', 'action', 'login'] as const) {
      const response = await send(name);
      if (response.status === 503) turnedAway.push(name);
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('5');
    }
    expect(turnedAway).toEqual(expected);
    for (const name of ['health', 'readiness', 'asset'] as const) expect((await send(name)).status).toBe(200);
    expect(logLines).toEqual([]);
  });

  it('tells a person in words and a program in its own shape', async () => {
    level = 'no-pages';
    expect(await (await send('document')).text()).toBe(
      'The server has too much to do right now. Nothing was changed.\n',
    );
    expect(await (await send('action')).json()).toMatchObject({ error: { code: 'overloaded' } });
  });
});

describe('at once', () => {
  it.each([
    ['report', 16],
    ['action', 16],
    ['prefetch', 64],
    ['document', 256],
  ] as const)('%s: %i, and says so once', async (name, limit) => {
    held = Promise.withResolvers();
    const answers = Array.from({ length: limit }, () => send(name));
    for (let count = 0; count < 3; count += 1) {
      const refused = await send(name);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('1');
    }
    expect(logLines).toMatchObject([{ event: 'too-many-at-once', limit }]);
    // Another class has room of its own.
    const other = send(name === 'document' ? 'action' : 'document');
    held.resolve();
    expect((await other).status).toBe(200);
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    expect((await send(name)).status).toBe(200);
    expect(logLines.slice(1)).toMatchObject([{ event: 'room-again', turnedAway: 3 }]);
  });

  it('a request that fails makes room, too', async () => {
    app = new Hono().use(shed(createShedding({ reports: ['/tunnel'], level: () => level })));
    app.post('/tunnel', () => {
      throw new Error('no');
    });
    app.onError((_, c) => c.text('failed', 500));
    for (let count = 0; count < 40; count += 1) expect((await send('report')).status).toBe(500);
  });
});

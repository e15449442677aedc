import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ensureApp } from '#src/apps/apps.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { makeToken, revokeToken } from '#src/access/tokens.ts';
import { closeFlightsReader } from '#src/flights/recorder/flights-reader.ts';
import { countAppFlights } from '#src/flights/for-operator/app-counts.ts';
import { storeError } from '#src/faults/grouping/testing/use-store.ts';
import { openStore } from '#src/store/open-store.ts';

import { readApi, readApiOfFile } from './read-api.ts';
import { requestContext } from '#src/runtime/middleware/request-context.ts';

vi.mock(import('#src/flights/for-operator/app-counts.ts'), { spy: true });

let folder: string;
let server: Hono;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-read-api-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.stubEnv('FLIGHT_AUTH', 'on');
  lines = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  server = new Hono();
  server.use(requestContext(), readApi());
  server.notFound((c) => c.text(`the rest of the app: ${String(requireOperator())}`, 404));
  server.onError((error, c) => c.text(error.message, 500));
});

afterEach(async () => {
  await closeFlightsReader(folder);
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function make(apps?: readonly string[]): Promise<string> {
  const made = await makeToken(await openStore(), { name: 'a script', allows: 'read', apps, days: 1 });
  if (made.type === 'refused') throw new Error(made.problem);
  return made.secret;
}

type Asked = {
  readonly token?: string;
  readonly method?: string;
  readonly address?: string;
  readonly more?: HeadersInit;
};

async function ask(target: string, { token, method = 'GET', address = '192.0.2.1', more = {} }: Asked = {}) {
  const headers = {
    ...Object.fromEntries(new Headers(more)),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const response = await server.request(target, { method, headers }, { address });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : text,
  };
}

describe('a token', () => {
  it('opens the API, and what it gives is kept by nobody on the way', async () => {
    const { status, headers, body } = await ask('/api/v1/apps', { token: await make() });
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(body.apps.map(({ id }: { id: string }) => id)).toEqual(['flight-recorder']);
  });

  it('opens nothing else: a page that is asked with one is asked by nobody', async () => {
    const token = await make();
    for (const target of ['/', '/faults', '/api/v1x', '/api/shop/errors', '/operator', '/api/0/x']) {
      const { text } = await ask(target, { token });
      expect(text, target).toContain('not signed in');
    }
  });

  it('has one answer where it is missing, wrong, over, revoked, or of another scheme', async () => {
    const token = await make();
    const store = await openStore();
    const other = await make();
    await revokeToken(store, other.slice(4, 12));
    await store.db.updateTable('api_token').set({ expires: 1 }).execute();
    const answers = [
      await ask('/api/v1/apps'),
      await ask('/api/v1/apps', { token: 'flr_x' }),
      await ask('/api/v1/apps', { token }),
      await ask('/api/v1/apps', { token: other }),
      await ask('/api/v1/apps', { more: { authorization: `Basic ${token}` } }),
      await ask('/api/v1/no-such-thing'),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([
        '401 {"error":{"code":"wrong-token","message":"This request shows no token of the API that is valid."}}\n',
      ]),
    );
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer realm="flight-recorder"');
  });

  it('that is refused again and again has one line in the log', async () => {
    for (let time = 0; time < 5; time += 1) await ask('/api/v1/apps', { token: 'wrong', address: '198.51.100.9' });
    expect(lines).toMatchObject([{ event: 'api-token-refused', address: '198.51.100.9', refused: 1 }]);
  });

  it('that is refused costs its address more, and no other address', async () => {
    const token = await make();
    const address = '198.51.100.20';
    const answers: number[] = [];
    for (let time = 0; time < 14; time += 1) {
      answers.push((await ask('/api/v1/apps', { token: 'wrong', address })).status);
    }
    expect(answers.indexOf(429)).toBe(12);
    const { status, headers } = await ask('/api/v1/apps', { token, address });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('/api/v1/apps', { token })).status).toBe(200);
  });

  it('has a rate of its own, from however many addresses', async () => {
    const [busy, other] = [await make(), await make()];
    let refused = 0;
    for (let time = 0; time < 140; time += 1) {
      const { status } = await ask('/api/v1', { token: busy, address: `203.0.113.${time}` });
      if (status === 429) refused += 1;
    }
    expect(refused).toBeGreaterThan(0);
    expect((await ask('/api/v1', { token: other, address: '203.0.113.1' })).status).toBe(200);
  });
});

describe('a question', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('by %s changes nothing', async (method) => {
    const { status, headers, body } = await ask('/api/v1/errors', { token: await make(), method });
    expect([status, headers.get('allow'), body.error.code]).toEqual([405, 'GET, HEAD', 'wrong-method']);
  });

  it('with parameters that are not known or not allowed names each of them', async () => {
    const { status, body } = await ask('/api/v1/faults?x=1&limit=0&limit=2&state=closed&app=Shop', {
      token: await make(),
    });
    expect([status, body.error.code]).toEqual([400, 'wrong-parameter']);
    expect(body.parameters).toMatchObject([
      { name: 'x', problem: expect.stringContaining('There is no such parameter here. There are: app, q, state') },
      { name: 'limit', problem: 'It is there more than once.' },
      { name: 'state', problem: 'It must be one of: open, unseen, resolved, snoozed, muted, any.' },
      { name: 'app', problem: 'It is not the id of an app.' },
    ]);
  });

  it.each([
    '/api/v1/nothing',
    '/api/v1/faults/',
    '/api/v1/faults/%ff',
    '/api/v1/flights/x',
    '/api/v1/flights/9/payload',
  ])('at %s is not found', async (target) => {
    const { status, body } = await ask(target, { token: await make() });
    expect([status, body.error.code]).toEqual([404, 'not-found']);
  });

  it('that fails says so in the one shape, and the log says why', async () => {
    const token = await make();
    vi.mocked(countAppFlights).mockRejectedValueOnce(new Error('the disk is gone'));
    const { status, headers, body } = await ask('/api/v1/apps', { token });
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'not-answered', '5']);
    expect(lines).toContainEqual(expect.objectContaining({ event: 'api-not-answered', reason: 'the disk is gone' }));
  });
});

it('a token for some apps sees those alone', async () => {
  await ensureApp('shop');
  await ensureApp('blog');
  const [one, two] = [await make(['shop']), await make(['shop', 'blog'])];
  const listed = await ask('/api/v1/apps', { token: one });
  expect(listed.body.apps.map(({ id }: { id: string }) => id)).toEqual(['shop']);
  expect((await ask('/api/v1', { token: two })).body.access).toEqual({ isReadOnly: true, apps: ['shop', 'blog'] });
  expect((await ask('/api/v1/faults', { token: one })).status).toBe(200);
  expect((await ask('/api/v1/faults?app=blog', { token: one })).status).toBe(404);
  const unnamed = await ask('/api/v1/flights', { token: two });
  expect([unnamed.status, unnamed.body.parameters[0].name]).toEqual([400, 'app']);
  expect((await ask('/api/v1/flights?app=blog', { token: two })).status).toBe(200);
});

it('its description is for everybody, and is sent once', async () => {
  const first = await ask('/api/v1/openapi.json');
  expect([first.status, first.body.openapi]).toEqual([200, '3.1.0']);
  const etag = first.headers.get('etag') ?? '';
  const second = await ask('/api/v1/openapi.json', { more: { 'if-none-match': etag } });
  expect([second.status, second.text]).toEqual([304, '']);
  expect((await ask('/api/v1/openapi.json', { more: { 'if-none-match': '"x"' } })).status).toBe(200);
  expect((await ask('/api/v1/openapi.json?x=1')).status).toBe(400);
});

it('no file of the build is sent at its addresses', () => {
  const paths = ['/api/v1', '/api/v1/faults', '/api/v1x', '/api/v2', '/api/shop/errors'];
  expect(paths.map((one) => readApiOfFile.answers?.(one))).toEqual([true, true, false, false, false]);
});

describe('an error of a digest', () => {
  const noon = Date.UTC(2026, 10, 23, 12);

  async function look(question: string, token: string) {
    return ask(`/api/v1/errors/${question}`, { token });
  }

  it('that was deleted is no 404: its fault, its time and its route are the answer', async () => {
    const token = await make();
    const { id, fault } = await storeError({ digest: 'TRI7', time: noon, path: '/cart/7', route: '/cart/[id]' });
    const { db } = await openStore();
    await db.deleteFrom('event').where('side', '=', 'server').where('id', '=', id).execute();
    const { status, body } = await look('tri7', token);
    expect([status, body.type, body.digest, body.app]).toEqual([200, 'past', 'TRI7', 'shop']);
    const times = { firstTime: '2026-11-23T12:00:00.000Z', lastTime: '2026-11-23T12:00:00.000Z' };
    expect(body.faults).toMatchObject([{ id: fault, deleted: 1, ...times, route: '/cart/[id]', errors: 1 }]);
    expect(body.faults[0].self).toBe(`/api/v1/faults/${fault}`);
    expect((await look('TRI7', await make(['other']))).status).toBe(404);
    expect((await look('TRI9X', token)).status).toBe(404);
  });

  it('that many visitors have is chosen by time and page, and a guess is one', async () => {
    await ensureApp('shop');
    const token = await make();
    const digest = '2338734591';
    for (const [id, seconds, page] of [
      ['shop.a', 0, '/cart'],
      ['shop.b', 20, '/orders/7'],
      ['shop.c', 600, '/cart'],
    ] as const) {
      const key = `${id}${'0'.repeat(31)}`;
      const time = noon + seconds * 1_000;
      await storeError({ id: key, digest, time, received_at: time, path: page });
    }
    const latest = (await look(digest, token)).body;
    expect([latest.choice, latest.details.withDigest, latest.details.deletedWithDigest]).toEqual([null, 3, 0]);
    expect(latest.details.server.path).toBe('/cart');
    const sure = (await look(`${digest}?at=2026-11-23T12:00&path=/orders/7`, token)).body;
    expect([sure.choice.type, sure.details.server.path]).toEqual(['only', '/orders/7']);
    const guess = (await look(`${digest}?at=2026-11-23T12:00`, token)).body;
    expect([guess.choice.type, guess.choice.count]).toEqual(['one-of', 2]);
    const { self } = guess.choice.candidates[1];
    expect((await ask(self, { token })).body.details.server.path).toBe('/orders/7');
  });

  it('is refused a time that cannot be', async () => {
    const token = await make();
    for (const at of ['noon', '2026-13-40T12:00']) {
      const { status, body } = await look(`TRI7?at=${at}`, token);
      expect([status, body.error.code, body.parameters[0].name]).toEqual([400, 'wrong-parameter', 'at']);
    }
  });
});

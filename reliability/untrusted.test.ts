import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';

import { expect, test } from 'vitest';

import { isRecord } from '#boundary';

import { addApp } from '../e2e/testing/add-app.ts';
import { runOperator } from './testing/run-operator.ts';
import { startServer, type RunningServer } from './testing/start-server.ts';

/**
 * What browsers report touches nothing that servers told: anybody who loads a page of an app has its public key, and the tunnel takes
 * reports without one.
 */
const digests = Array.from({ length: 30 }, (_, n) => `${2_338_734_500 + n}@E394`);
const frames = [{ filename: 'app/cart/page.js', function: 'addItem', lineno: 7, colno: 3, in_app: true }];

let senders = 0;

/** Each from another address, so that no rate is in the way. */
async function send(
  server: RunningServer,
  target: string,
  event: object,
  headers: Record<string, string> = {},
  id = randomBytes(16).toString('hex'),
) {
  senders += 1;
  const whole = { event_id: id, timestamp: Date.now() / 1000, ...event };
  const body = [JSON.stringify({ event_id: id }), '{"type":"event"}', JSON.stringify(whole)].join('\n');
  const forwarded = `198.51.${100 + (senders >> 8)}.${senders & 255}`;
  const response = await fetch(server.origin + target, {
    method: 'POST',
    body,
    headers: { ...headers, 'x-forwarded-for': forwarded },
  });
  return response.status;
}

function describeError(digest: string, more: object = {}) {
  const value = { type: 'TypeError', value: 'price is undefined', stacktrace: { frames } };
  return { level: 'error', release: 'shop@1.0.0', tags: { digest }, exception: { values: [value] }, ...more };
}

function key(given: string): Record<string, string> {
  return { 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${given}` };
}

/** Without what the API says of untrusted errors themselves. */
function leaveOutUntrusted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(leaveOutUntrusted);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([name]) =>
      !['untrusted', 'browser', 'maybe', 'feedback', 'otherApps', 'breadcrumbs', 'untrustedLeftOut'].includes(name),
  );
  return Object.fromEntries(kept.map(([name, one]) => [name, leaveOutUntrusted(one)]));
}

test(
  'untrusted errors of every kind change nothing of what the API says of a server’s faults',
  { timeout: 120_000 },
  async () => {
    await using server = await startServer({ env: { FLIGHT_AUTH: 'on', TRUSTED_PROXIES: '127.0.0.1' } });
    const secretKey = await addApp('shop', server.dataFolder);
    const database = new DatabaseSync(path.join(server.dataFolder, 'flight.db'), { readOnly: true });
    const publicKey = String(database.prepare("select public_key from app where id = 'shop'").get()?.['public_key']);
    const token = (await runOperator(server.dataFolder, 'token', 'create', 'a test')).output.trim();

    async function ask(target: string): Promise<unknown> {
      senders += 1;
      const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `203.0.${senders >> 8}.${senders & 255}` };
      const response = await fetch(`${server.origin}/api/v1/${target}`, { headers });
      expect(response.status).toBe(200);
      return response.json();
    }

    const early = describeError(digests[0] ?? '', { release: 'shop@0.0.1', platform: 'javascript' });
    expect(await send(server, '/api/shop/envelope/', early, key(publicKey))).toBe(200);
    for (const digest of digests) {
      expect(await send(server, '/api/shop/envelope/', describeError(digest), key(secretKey))).toBe(200);
    }
    const list = await ask('faults?app=shop&state=any');
    const [fault] = isRecord(list) && Array.isArray(list['faults']) ? list['faults'] : [];
    const id = isRecord(fault) ? String(fault['id']) : '';
    expect(fault).toMatchObject({ firstRelease: 'shop@1.0.0' });

    async function readAll(): Promise<unknown> {
      const answers = [
        await ask('faults?app=shop&state=any'),
        await ask('faults?app=shop&state=any&release=shop%401.0.0'),
        await ask(`faults/${id}`),
        ...(await Promise.all(digests.map((digest) => ask(`errors/${encodeURIComponent(digest)}`)))),
      ];
      return answers.map(leaveOutUntrusted);
    }

    const before = await readAll();
    for (let n = 0; n < 95; n += 1) {
      const digest = digests[n % digests.length] ?? '';
      const made = {
        release: `shop@9.${n}`,
        environment: `made-up-${n}`,
        level: 'fatal',
        user: { id: `stranger ${n}` },
      };
      const untrusted = describeError(digest, { ...made, request: { url: `https://shop.test/stranger/${n}` } });
      const texts = { exception: { values: [{ type: 'Evil', value: `not what happened ${n}` }] } };
      // With the public key: the same stack, and the same digest with another text. Without a key: for this server itself.
      expect(await send(server, '/api/shop/envelope/', { ...untrusted, platform: 'javascript' }, key(publicKey))).toBe(
        200,
      );
      expect(
        await send(
          server,
          '/api/shop/envelope/',
          { ...untrusted, ...texts, release: `shop@8.${n}`, environment: `other-${n}` },
          key(publicKey),
        ),
      ).toBe(200);
      expect(await send(server, '/tunnel', { ...untrusted, ...texts })).toBe(200);
    }
    expect(await readAll()).toEqual(before);
    const { untrusted } =
      database.prepare("select count(*) as untrusted from event where side = 'browser'").get() ?? {};
    database.close();
    expect(Number(untrusted)).toBeGreaterThan(100);
  },
);

test('a digest that servers of two apps told is asked back, and untrusted errors of a third app are no reason to', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on', TRUSTED_PROXIES: '127.0.0.1' } });
  const keys = { shop: await addApp('shop', server.dataFolder), blog: await addApp('blog', server.dataFolder) };
  const token = (await runOperator(server.dataFolder, 'token', 'create', 'a test')).output.trim();
  const digest = '2338734591';
  async function look(target = `/api/v1/errors/${digest}`): Promise<Record<string, unknown>> {
    const response = await fetch(server.origin + target, { headers: { authorization: `Bearer ${token}` } });
    const body: unknown = await response.json();
    if (response.status !== 200 || !isRecord(body)) throw new Error(`status ${response.status}`);
    return body;
  }
  expect(await send(server, '/api/shop/envelope/', describeError(digest), key(keys.shop))).toBe(200);
  expect(await send(server, '/tunnel', describeError(digest))).toBe(200);
  expect(await look()).toMatchObject({ type: 'error', details: { app: 'shop' } });
  expect(await send(server, '/api/blog/envelope/', describeError(digest), key(keys.blog))).toBe(200);
  const { type, apps } = await look();
  expect(type).toBe('several-apps');
  if (!Array.isArray(apps)) throw new Error('no apps');
  const named: unknown[] = [];
  for (const { app, self, side } of apps) named.push([app, side, (await look(self))['details']]);
  expect(named).toMatchObject([
    ['blog', 'server', { app: 'blog' }],
    ['shop', 'server', { app: 'shop' }],
  ]);
});

test('the id of a server’s error is not another’s, for whoever repeats it or names it as a digest', async () => {
  await using server = await startServer({ env: { FLIGHT_AUTH: 'on', TRUSTED_PROXIES: '127.0.0.1' } });
  const keys = { shop: await addApp('shop', server.dataFolder), blog: await addApp('blog', server.dataFolder) };
  const database = new DatabaseSync(path.join(server.dataFolder, 'flight.db'), { readOnly: true });
  const publicKey = String(database.prepare("select public_key from app where id = 'shop'").get()?.['public_key']);
  database.close();
  const token = (await runOperator(server.dataFolder, 'token', 'create', 'a test')).output.trim();
  const id = randomBytes(16).toString('hex');
  async function look(query = ''): Promise<unknown> {
    const response = await fetch(`${server.origin}/api/v1/errors/${id}${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return response.json();
  }
  const told = {
    type: 'error',
    details: { app: 'shop', isUntrusted: false, server: { message: 'price is undefined' } },
  };
  const sent = { ...describeError('2338734591'), event_id: id };
  expect(await send(server, '/api/shop/envelope/', sent, key(keys.shop), id)).toBe(200);
  expect(await look()).toMatchObject(told);
  const values = [{ type: 'Evil', value: 'not what happened' }];
  expect(await send(server, '/api/shop/envelope/', describeError(id, { exception: { values } }), key(publicKey))).toBe(
    200,
  );
  expect(await send(server, '/api/blog/envelope/', { ...sent, exception: { values } }, key(keys.blog), id)).toBe(200);
  expect(await look()).toMatchObject(told);
  expect(await look('?app=shop')).toMatchObject(told);
});

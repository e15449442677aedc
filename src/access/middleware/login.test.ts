import crypto from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { currentFailedLogin } from '#src/access/login-failure.ts';
import { createLoginLink } from '#src/access/login-links.ts';
import { setPassword } from '#src/access/password.ts';
import { mintSecret } from '#src/access/secret.ts';
import { sessionsOf } from '#src/access/sessions.ts';
import { announcePort } from '#src/server/http/server-settings.ts';
import { createShedding, type Shedding } from '#src/server/http/shedding.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { access } from './access.ts';
import { login } from './login.ts';
import { requestContext } from '#src/runtime/middleware/request-context.ts';

const origin = 'http://127.0.0.1:3000';
const password = 'heron ladder seventeen';
let folder: string;
let store: Store;
let app: Hono<{ Bindings: { address: string; outgoing: ServerResponse | undefined } }>;
let lines: string;

/** Each has limits of its own. */
function createApp(shedding: Shedding = createShedding({ received: [], level: () => 'calm' })): void {
  app = new Hono();
  app.use(requestContext(), login(shedding), access());
  app.all('*', (c) => c.json({ method: c.req.method, path: c.req.path, failure: currentFailedLogin() ?? null }));
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-login-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  announcePort(3000);
  store = await openStore(folder);
  lines = '';
  function take(text: string | Uint8Array): boolean {
    lines += String(text);
    return true;
  }
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  createApp();
});

afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

type Sent = {
  readonly headers?: Record<string, string>;
  readonly address?: string;
  readonly path?: string;
  readonly outgoing?: ServerResponse;
};

function post(
  fields: Record<string, string> | string,
  { headers, address, path: to, outgoing }: Sent = {},
): Promise<Response> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  const init = {
    method: 'POST',
    body,
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
  };
  return Promise.resolve(
    app.request(`${origin}${to ?? '/login'}`, init, { address: address ?? '192.0.2.1', outgoing }),
  );
}

function takePages(shedding: Shedding, count: number): void {
  for (let taken = 0; taken < count; taken += 1) shedding.enter('document', 'GET', '/', '');
}

const script = { accept: 'application/json' };

function readCookie(response: Response): string {
  const pattern = /^flight_3000=([\w-]{43}); Path=\/; Max-Age=2419200; HttpOnly; SameSite=Lax$/;
  const secret = pattern.exec(response.headers.get('set-cookie') ?? '')?.[1];
  if (secret === undefined) throw new Error(`no session: ${response.status}`);
  return secret;
}

describe('POST /login', () => {
  it('signs in with a link, once, by form and by script', async () => {
    const link = await createLoginLink(store);
    const form = await post({ code: link, next: '/lab?x=1' });
    expect([form.status, form.headers.get('location')]).toEqual([303, '/lab?x=1']);
    expect(await sessionsOf(store).find(readCookie(form))).toMatchObject({
      openedBy: 'login-link',
      address: '192.0.2.1',
    });
    const again = await post({ code: link }, { headers: script });
    expect(again.status).toBe(401);
    expect(await again.json()).toMatchObject({ error: { code: 'link-used' } });
    const other = await post({ code: await createLoginLink(store) }, { headers: script });
    expect([other.status, await other.json()]).toEqual([200, { next: '/' }]);
    expect(readCookie(other)).toHaveLength(43);
  });

  it('takes a link that was pasted whole', async () => {
    const code = ` ${origin}/login#${await createLoginLink(store)}\n`;
    expect((await post({ code })).status).toBe(303);
  });

  it('signs in with the password', async () => {
    await setPassword(store, password);
    const response = await post({ password, account: 'operator' });
    expect(response.status).toBe(303);
    expect(await sessionsOf(store).find(readCookie(response))).toMatchObject({ openedBy: 'password' });
  });

  it('takes over no session that the browser brings along, and ends the one it had', async () => {
    const planted = mintSecret();
    const first = await post({ code: await createLoginLink(store) }, { headers: { cookie: `flight_3000=${planted}` } });
    const secret = readCookie(first);
    expect(secret).not.toBe(planted);
    expect(await sessionsOf(store).find(planted)).toBeUndefined();
    await post({ code: await createLoginLink(store) }, { headers: { cookie: `flight_3000=${secret}` } });
    expect(await sessionsOf(store).find(secret)).toBeUndefined();
    expect(await sessionsOf(store).list()).toHaveLength(1);
  });

  it('goes nowhere but to a path of this server', async () => {
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'javascript:x',
      '/\t/evil.example',
    ]) {
      const response = await post({ code: await createLoginLink(store), next }, { address: next });
      expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    }
  });

  it('answers a form that failed with the login page, which knows why', async () => {
    const response = await post({ code: mintSecret(), next: '/lab' });
    expect(response.status).toBe(401);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await response.json()).toEqual({
      method: 'GET',
      path: '/login',
      failure: { problem: 'link-unknown', wait: 0, next: '/lab' },
    });
    const nothing = await post({ next: '/lab' });
    expect([nothing.status, await nothing.json()]).toMatchObject([400, { failure: { problem: 'nothing-given' } }]);
  });

  it('answers with the login page only where there is a place for a page; a script and a right code need none', async () => {
    const shedding = createShedding({ received: [], level: () => 'calm' });
    createApp(shedding);
    takePages(shedding, 256);
    const full = await post({ next: '/lab' });
    expect([full.status, full.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await post({ next: '/lab' }, { headers: script })).status).toBe(400);
    expect((await post({ code: await createLoginLink(store) })).status).toBe(303);
  });

  it('gives the place of that page back', async () => {
    const shedding = createShedding({ received: [], level: () => 'calm' });
    createApp(shedding);
    takePages(shedding, 255);
    for (let count = 0; count < 3; count += 1) expect((await post({ next: '/lab' })).status).toBe(400);
  });

  it('holds the place of that page until its answer is out, or its connection is gone', async () => {
    const shedding = createShedding({ received: [], level: () => 'calm' });
    createApp(shedding);
    takePages(shedding, 255);
    const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
    expect((await post({ next: '/lab' }, { outgoing })).status).toBe(400);
    expect((await post({ next: '/lab' })).status).toBe(503);
    outgoing.emit('close');
    expect((await post({ next: '/lab' })).status).toBe(400);
  });

  it('logs each attempt on one line, without what was typed', async () => {
    await setPassword(store, password);
    const link = await createLoginLink(store);
    await post({ password: 'not the password' });
    await post({ code: mintSecret() });
    const secret = readCookie(await post({ code: link }));
    expect(lines.trim().split('\n')).toHaveLength(3);
    expect(lines).toMatch(/"sign-in-refused".*"how":"password".*"problem":"wrong-password".*"address":"192.0.2.1"/);
    expect(lines).toMatch(/"signed-in".*"how":"login-link"/);
    for (const canary of ['not the password', link, secret]) expect(lines).not.toContain(canary);
  });

  it.each([
    ['no origin', {}, { origin: '', 'sec-fetch-site': 'cross-site' }, 403],
    ['a foreign origin', {}, { origin: 'https://evil.example' }, 403],
    ['a null origin', {}, { origin: 'null' }, 403],
    ['multipart', {}, { 'content-type': 'multipart/form-data; boundary=x' }, 415],
    ['JSON', {}, { 'content-type': 'application/json' }, 415],
    ['no type', {}, { 'content-type': '' }, 415],
    ['a type that only begins alike', {}, { 'content-type': 'application/x-www-form-urlencodedx' }, 415],
    ['a packed body', {}, { 'content-encoding': 'gzip' }, 415],
    ['a declared length beyond 4 KiB', {}, { 'content-length': '4097' }, 413],
    ['a body beyond 4 KiB', { password: 'x'.repeat(4096) }, {}, 413],
    ['two codes', 'code=a&code=b', {}, 400],
    ['two passwords', 'password=a&password=b', {}, 400],
  ] as const)('refuses %s', async (_what, fields, headers, status) => {
    const response = await post(fields, { headers: { ...script, ...headers } });
    expect(response.status).toBe(status);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(lines.trim().split('\n')).toHaveLength(1);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('is no %s', async (method) => {
    const response = await app.request(`${origin}/login`, { method }, { address: '' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('attempts', () => {
  beforeEach(async () => {
    await setPassword(store, password);
    // Time stands still: nothing comes back into the buckets, however slow this machine is.
    vi.useFakeTimers({ toFake: ['performance'] });
    createApp();
  });

  it('are counted for an address, and for all addresses of one IPv6 network together', async () => {
    const statuses: number[] = [];
    for (let guess = 0; guess < 1000; guess += 1) {
      const address = `2001:db8:1:2:${guess.toString(16)}::1`;
      statuses.push((await post({ password: 'a wrong one' }, { headers: script, address })).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const elsewhere = await post({ password }, { headers: script, address: '2001:db8:1:3::1' });
    expect(elsewhere.status).toBe(200);
  });

  it('say when to come back, and then the right password is taken', async () => {
    for (let guess = 0; guess < 10; guess += 1) await post({ password: 'a wrong one' });
    const response = await post({ password }, { headers: script });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('6');
    expect(await response.json()).toMatchObject({ error: { code: 'too-many-attempts' } });
    const page = await post({ password });
    expect(page.headers.get('retry-after')).toBe('6');
    expect([page.status, await page.json()]).toMatchObject([429, { failure: { wait: 6 } }]);
    vi.advanceTimersByTime(6000);
    expect((await post({ password })).status).toBe(303);
  });

  it('from everywhere at once leave room for a login link', async () => {
    // Hashing is not what this is about, and sixty of them take seconds.
    vi.spyOn(crypto, 'argon2').mockImplementation((_name, _parameters, done) => done(null, Buffer.alloc(32)));
    const addresses = Array.from({ length: 100 }, (_, index) => `198.51.100.${index}`);
    const statuses: number[] = [];
    for (const address of addresses) {
      statuses.push((await post({ password: 'a wrong one' }, { headers: script, address })).status);
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(60);
    const link = await createLoginLink(store);
    expect((await post({ code: link }, { address: '203.0.113.9' })).status).toBe(303);
  });
});

describe('POST /logout', () => {
  it('ends the session and takes the cookie and the cache with it', async () => {
    const secret = readCookie(await post({ code: await createLoginLink(store) }));
    const response = await post('', { path: '/logout', headers: { cookie: `flight_3000=${secret}` } });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/login']);
    expect(response.headers.get('set-cookie')).toBe('flight_3000=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    expect(response.headers.get('clear-site-data')).toBe('"cache", "storage"');
    expect(await sessionsOf(store).find(secret)).toBeUndefined();
  });

  it('does nothing for another site’s page, and not by GET', async () => {
    const secret = readCookie(await post({ code: await createLoginLink(store) }));
    const cookie = `flight_3000=${secret}`;
    const foreign = await post('', { path: '/logout', headers: { cookie, origin: 'https://evil.example' } });
    const read = await app.request(`${origin}/logout`, { headers: { cookie } }, { address: '' });
    expect([foreign.status, read.status, read.headers.get('allow')]).toEqual([403, 405, 'POST']);
    expect(await sessionsOf(store).find(secret)).toBeDefined();
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { createContext } from '#src/server/http/create-request-context.ts';
import { feedbackPath, healthPath, homePath, loginPath, readyPath, tunnelPath } from '#src/server/http/addresses.ts';
import { runInRequest } from '#src/server/http/request-context.ts';
import type { Visitor } from '#src/server/http/visitor.ts';
import { formatSessionCookie } from '#src/access/cookie.ts';
import { findOperator } from '#src/access/find-operator.ts';
import { sessionsOf } from '#src/access/sessions.ts';
import { openStore } from '#src/store/open-store.ts';

import { notThroughApps } from './not-through-apps.ts';

const stranger: Visitor = { address: '203.0.113.9', protocol: 'http', host: 'shop.example', isLocal: false };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-through-apps-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

function inRequest<T>(visitor: Visitor | undefined, run: () => T): T {
  const { signal } = new AbortController();
  const arrived = { method: 'GET', path: '/', headers: new Headers(), address: '', signal, visitor };
  return runInRequest(createContext(arrived, false), run);
}

async function ask(at: string, visitor: Visitor | undefined, cookie = ''): Promise<number> {
  const server = new Hono();
  server.use((_, next) => inRequest(visitor, next));
  server.use(notThroughApps());
  server.all('*', (c) => c.text('on'));
  return (await server.request(at, { headers: { cookie } })).status;
}

it.each([healthPath, readyPath, tunnelPath])('%s is closed to strangers who come through an app', async (at) => {
  expect(await ask(at, stranger)).toBe(404);
  expect(await ask(at, { ...stranger, isLocal: true })).toBe(200);
  expect(await ask(at, undefined)).toBe(200);
});

it.each([homePath, loginPath, feedbackPath])('%s decides for itself', async (at) => {
  expect(await ask(at, stranger)).toBe(200);
});

it('is open to who is signed in, by the name of the app and by http or https', async () => {
  const from = { openedBy: 'login-link', userAgent: '', address: '' } as const;
  const opened = await sessionsOf(await openStore()).open(from, [], async () => undefined);
  if (!('secret' in opened)) throw new Error('no session');
  const { secret } = opened;
  for (const protocol of ['http', 'https'] as const) {
    const visitor = { ...stranger, protocol };
    const baseUrl = new URL(`${protocol}://shop.example`);
    const [cookie = ''] = formatSessionCookie({ baseUrl, port: 80 }, secret).split(';');
    expect(await ask(readyPath, visitor, cookie)).toBe(200);
    // Signed in by https, and the page was asked for through a proxy that nobody has named.
    expect(await ask(readyPath, stranger, cookie)).toBe(200);
    expect(await inRequest(visitor, () => findOperator(cookie.replace(secret, 'x'.repeat(secret.length))))).toBe(
      undefined,
    );
  }
});

it('is the operator without a login at the machine alone', async () => {
  expect(await inRequest({ ...stranger, isLocal: true }, () => findOperator(null))).toEqual({ kind: 'login-off' });
  expect(await inRequest(stranger, () => findOperator(null))).toBeUndefined();
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { requireOperator } from '#src/access/require-operator.ts';
import { mintSecret } from '#src/access/secret.ts';
import { sessionsOf } from '#src/access/sessions.ts';
import { announcePort } from '#src/server/http/server-settings.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { access } from './access.ts';
import { requestContext } from '#src/runtime/middleware/request-context.ts';

const origin = 'http://127.0.0.1:3000';
let folder: string;
let store: Store;
let secret: string;
let passed: string[];
let lines: string[];

const app = new Hono();
app.use(requestContext(), access());
app.all('*', (c) => {
  passed.push(c.req.url);
  return c.json(requireOperator());
});

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-access-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  announcePort(3000);
  store = await openStore(folder);
  const opened = await sessionsOf(store).open(
    { openedBy: 'login-link', userAgent: '', address: '' },
    [],
    async () => undefined,
  );
  if ('problem' in opened) throw new Error('refused');
  secret = opened.secret;
  passed = [];
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean(lines.push(String(text))));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function ask(target: string, init: RequestInit = {}): Promise<Response> {
  return app.request(origin + target, init);
}

const document = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate' };

describe('with a session', () => {
  it('everything goes on, in the name of the session', async () => {
    const cookie = `other=1; flight_3000=${secret}`;
    for (const target of ['/', '/RSC/R/_root.txt', '/x?y', '//x', '/login']) {
      const response = await ask(target, { headers: { cookie } });
      expect(await response.json()).toMatchObject({ kind: 'session' });
    }
    const post = await ask('/lab', { method: 'POST', body: 'x', headers: { cookie } });
    expect(post.status).toBe(200);
  });

  it('also when a cookie of the same name from another application comes first', async () => {
    const cookie = `flight_3000=theirs; flight_3000=${mintSecret()}; flight_3000=${secret}`;
    expect((await ask('/', { headers: { cookie } })).status).toBe(200);
  });

  it('nothing goes on after it was revoked', async () => {
    const headers = { cookie: `flight_3000=${secret}` };
    expect((await ask('/', { headers })).status).toBe(200);
    await sessionsOf(store).revokeAll();
    expect((await ask('/', { headers })).status).toBe(401);
  });
});

describe('while the database does not answer', () => {
  const gone = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  const headers = () => ({ ...document, cookie: `flight_3000=${mintSecret()}` });

  beforeEach(() => void vi.spyOn(sessionsOf(store), 'find').mockRejectedValue(gone));

  it('whoever may be signed in is told that, and not sent to the login page', async () => {
    const page = await ask('/lab', { headers: headers() });
    expect([page.status, page.headers.get('location'), page.headers.get('retry-after')]).toEqual([503, null, '5']);
    expect(await page.text()).toContain('<h1>The database does not answer</h1>');
    const payload = await ask('/RSC/R/lab.txt', { headers: headers() });
    expect([payload.status, await payload.json()]).toMatchObject([503, { error: { code: 'database-gone' } }]);
    expect(passed).toEqual([]);
  });

  it('the login page is served to them, and strangers are sent there', async () => {
    // What this test's app does there wants an operator.
    vi.spyOn(console, 'error').mockReturnValue();
    await expect(ask('/login', { headers: headers() })).resolves.toBeDefined();
    expect(passed).toHaveLength(1);
    expect((await ask('/lab', { headers: document })).status).toBe(303);
  });

  it('another error is not taken for that', async () => {
    vi.spyOn(sessionsOf(store), 'find').mockRejectedValue(new Error('disk I/O error'));
    vi.spyOn(console, 'error').mockReturnValue();
    expect((await ask('/lab', { headers: headers() })).status).toBe(500);
  });
});

describe('without one', () => {
  it('a document goes to the login page, and remembers where it wanted to go', async () => {
    for (const [target, location] of [
      ['/', '/login'],
      ['/lab/page-data?failures=2&a=%20', '/login?next=%2Flab%2Fpage-data%3Ffailures%3D2%26a%3D%2520'],
      ['//evil.example/x', '/login?next=%2F%2Fevil.example%2Fx'],
      ['/x%0d%0aset-cookie:a=b', '/login?next=%2Fx%250d%250aset-cookie%3Aa%3Db'],
    ] as const) {
      const response = await ask(target, { headers: document });
      expect([response.status, response.headers.get('location')]).toEqual([303, location]);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(await response.text()).toBe('');
    }
    expect([passed, lines]).toEqual([[], []]);
  });

  it.each([
    ['a payload', '/RSC/R/lab.txt', { headers: document }],
    ['a slice', '/RSC/S/x.txt', {}],
    ['an action', '/lab', { method: 'POST', headers: { ...document, 'x-flight-action': '0123456789ab/x' } }],
    ['an action by its internal address', '/RSC/F/0123456789ab/x.txt', { method: 'POST' }],
    ['a fetch', '/', { headers: { 'sec-fetch-mode': 'cors', accept: 'text/html' } }],
    ['a client that is no browser', '/', {}],
    ['any other method', '/', { method: 'DELETE' }],
    ['the payload of the login page', '/RSC/R/login.txt', {}],
    ['another spelling of the login page', '/%6cogin', {}],
    ['another spelling of a public file', '/%61ssets/a-1.js', {}],
  ] as const)('%s gets 401 and one log line', async (_what, target, init) => {
    const response = await ask(target, init);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Cookie realm="operator"');
    expect(await response.json()).toEqual({
      error: { code: 'not-signed-in', message: expect.stringContaining('There is no session') },
    });
    expect(passed).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  it('a form gets a page that says where to sign in, and its body is not read', async () => {
    const read = vi.fn<() => void>();
    const body = new ReadableStream({ pull: read }, { highWaterMark: 0 });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half', headers: document };
    const response = await ask('/lab/actions', init);
    expect(response.status).toBe(401);
    expect(await response.text()).toContain('<a href="" target="_blank" rel="noopener">Sign in');
    expect([passed, read.mock.calls]).toEqual([[], []]);
  });

  it('only what the list of public routes names goes on, as nobody', async () => {
    app.onError((error, c) => c.text(error.message, 500));
    for (const target of ['/login', '/login?next=/lab', '/favicon.svg', '/assets/a-1.js']) {
      const response = await ask(target, { headers: document });
      expect(await response.text()).toContain('not signed in');
    }
    expect(passed).toHaveLength(4);
  });

  it.each([
    `flight_3000=${'A'.repeat(43)}`,
    'flight_3000=',
    'flight_3000',
    'flight_3001=SECRET',
    'flight=SECRET',
    '__Host-flight=SECRET',
    'Flight_3000=SECRET',
    'flight_3000="SECRET"',
    'flight_3000=SECRETx',
    'x=flight_3000=SECRET',
  ])('%s is no session', async (cookie) => {
    const response = await ask('/', { headers: { cookie: cookie.replace('SECRET', secret) } });
    expect([response.status, passed]).toEqual([401, []]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { runInRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { makeRequest } from '#src/server/http/testing/make-request.ts';
import { openStore } from '#src/store/open-store.ts';

import { feedback } from './feedback.ts';

let app: Hono;
let address: string;
let folder: string;
let lines: Record<string, unknown>[];
/** What is remembered of senders outlives a test. */
let count = 0;
let digest: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-feedback-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  count += 1;
  address = '203.0.113.1';
  digest = String(count).padStart(10, '3F7K2M9QRT');
  app = new Hono();
  app.use((c, next) => runInRequest(createContext(c.req.method), next));
  app.use(feedback('/feedback'));
  app.notFound((c) => c.text('the rest of the app', 404));
});

afterEach(async () => {
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function createContext(method: string): RequestContext {
  return makeRequest({ kind: 'other', method, path: '/feedback', address });
}

const type = 'application/x-www-form-urlencoded';
const origin = 'http://shop.test';

function post(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  const init: RequestInit & { duplex?: 'half' } = {
    method: 'POST',
    body,
    headers: { 'content-type': type, origin, ...headers },
    duplex: 'half',
  };
  return Promise.resolve(app.request(`${origin}/feedback`, init));
}

function write(fields: Record<string, string>): string {
  return new URLSearchParams({ digest, message: 'I pressed pay', path: '/cart?step=2', ...fields }).toString();
}

async function readMessages(): Promise<string[]> {
  const { db } = await openStore();
  const rows = await db.selectFrom('feedback').select('message').orderBy('received_at').orderBy('id').execute();
  return rows.map(({ message }) => message);
}

describe('the form of the error page', () => {
  it('is kept, and answered by a page that names the digest and leads back', async () => {
    const answer = await post(write({}));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    const page = await answer.text();
    expect(page).toContain(`${digest.slice(0, 5)}-${digest.slice(5)}`);
    expect(page).toContain('href="/cart?step=2"');
    const { db } = await openStore();
    const row = await db.selectFrom('feedback').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      app: 'flight-recorder',
      source: 'error-page',
      digest,
      message: 'I pressed pay',
      path: '/cart',
    });
  });

  it('is answered in the same way whatever its digest, and the way back is one of this server', async () => {
    for (const back of ['https://evil.test/', '//evil.test', '/"><script>']) {
      count += 1;
      digest = String(count).padStart(10, 'Z');
      const page = await (await post(write({ path: back }))).text();
      expect(page).toContain('Thank you');
      expect(page).not.toMatch(/evil|<script/);
    }
    expect(await readMessages()).toHaveLength(3);
  });

  it.each([
    ['a page of another site', () => post(write({}), { origin: 'https://evil.test' }), 403],
    ['a frame of no origin', () => post(write({}), { origin: 'null' }), 403],
    ['another type', () => post('{}', { 'content-type': 'application/json' }), 415],
    ['a packed body', () => post(write({}), { 'content-encoding': 'gzip' }), 415],
    ['a declared length beyond the limit', () => post('x', { 'content-length': '4097' }), 413],
    ['more than the limit, without a length', () => post(new Blob(['message=', 'x'.repeat(5_000)]).stream()), 413],
    ['no digest', () => post(write({ digest: '' })), 400],
    ['half a digest', () => post(write({ digest: '3F7K2-M9QRT' })), 400],
    ['two digests', () => post(`${write({})}&digest=3F7K2M9QRT`), 400],
    ['two texts', () => post(`${write({})}&message=another`), 400],
    ['no text', () => post(write({ message: ' \n' })), 400],
  ])('of %s is refused with one page and one line', async (_, send, status) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain('That was not sent');
    expect(lines.map(({ event, status: told }) => [event, told])).toEqual([['request-refused', status]]);
    expect(await readMessages()).toEqual([]);
  });

  it('is taken once a minute about one digest, and a second press of the button is no second text', async () => {
    expect((await post(write({}))).status).toBe(200);
    expect((await post(write({}))).status).toBe(200);
    const second = await post(write({ message: 'and then' }));
    expect(second.status).toBe(429);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(50);
    address = '198.51.100.7';
    expect((await post(write({ message: 'somebody else' }))).status).toBe(200);
    address = '203.0.113.1';
    const clock = vi.spyOn(performance, 'now');
    clock.mockReturnValue(performance.now() + 61_000);
    expect((await post(write({ message: 'and then' }))).status).toBe(200);
    clock.mockRestore();
    expect((await readMessages()).toSorted()).toEqual(['I pressed pay', 'and then', 'somebody else']);
  });

  it('is taken from one network, and from all, only so often', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 7; n += 1) statuses.push((await post(write({ digest: 'no' }))).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
    const others: number[] = [];
    for (let n = 0; n < 60; n += 1) {
      address = `198.51.100.${n}`;
      others.push((await post(write({ digest: 'no' }))).status);
    }
    expect(others.filter((status) => status === 400).length).toBeLessThanOrEqual(46);
    expect(others.at(-1)).toBe(429);
  });

  it('that cannot be stored says so, and makes no other error', async () => {
    const { db } = await openStore();
    await db.schema.alterTable('feedback').renameTo('gone').execute();
    const answer = await post(write({}));
    // PostgreSQL's databases are used by the next test, too.
    await sql`alter table gone rename to feedback`.execute(db);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('could not be stored');
    expect(lines.map(({ event }) => event)).toEqual(['feedback-not-stored', 'request-refused']);
  });
});

describe('what a panel in the browser asks', () => {
  it('is whom to give a digest to, and whether this browser is the operator’s', async () => {
    const answer = await app.request(`${origin}/feedback`);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('vary')).toBe('Cookie');
    expect(await answer.json()).toEqual({ isOperator: false, contact: { name: '', address: '', href: '' } });
  });

  it('is answered by no other method, and at no other address', async () => {
    expect((await app.request(`${origin}/feedback`, { method: 'PUT' })).status).toBe(405);
    expect(await (await app.request(`${origin}/feedback/x`)).text()).toBe('the rest of the app');
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { feedbackPath, toldPath, tunnelPath, usagePath } from '#src/server/http/addresses.ts';
import { pageHeader, prefetchHeader, sideHeader } from '#src/server/http/flight-headers.ts';
import { requestIdHeader } from '#report/sender/request-id-header.ts';
import { currentRequest } from '#src/server/http/request-context.ts';
import type { Policy } from '#src/apps/policy.ts';
import { openTap } from '#src/runtime/renderer/flight-observer.ts';

import { createErrorSink } from './error-sink.ts';
import { receiveFeedback, receiveReports } from './receive-from-browsers.ts';
import { recordRequests, type AppFetch } from './record-requests.ts';
import { startFlights } from './start-flights.ts';
import { startInside } from './start-inside.ts';

const origin = 'http://app.test';
const address = { base: 'http://127.0.0.1:4000/_flight', app: 'shop', key: 'k'.repeat(32) };
const receivers = { reports: receiveReports, feedback: receiveFeedback };
const row = '0:{"root":"$L1"}\n';

// The recorder's thread runs from its sources, which takes long on a busy machine.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

let folder: string;
let policy: Policy;
let stop: () => Promise<void>;
let fetchApp: AppFetch;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-inside-'));
  mkdirSync(path.join(folder, 'public/about'), { recursive: true });
  writeFileSync(path.join(folder, 'public/about/index.html'), '<html>about</html>');
  policy = { mode: 'all' };
  await start();
  fetchApp = recordRequests(answer, {
    basePath: '/',
    open: async () => undefined,
    receivers,
    publicFolder: path.join(folder, 'public'),
  });
});

afterEach(async () => {
  await stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  const beside = {
    data: folder,
    read: () => ({ recorder: address, browsers: undefined }),
    readPolicy: () => policy,
    unset: policy,
  };
  stop = await startInside({
    app: 'shop',
    beside,
    release: 'b1',
    isTimed: true,
    createSink: createErrorSink,
    startFlights,
  });
}

/** An app: a dynamic page, a page from a file, an address that another server answers, and one that is not there. */
function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  const html = { headers: { 'content-type': 'text/html; charset=utf-8' } };
  switch (pathname) {
    case '/':
    case '/shop/cart':
    case '/RSC/R/_root.txt': {
      const context = currentRequest();
      const tap = context && openTap(context, { root: true, 'page:/': true });
      tap?.write(row, 'payload');
      tap?.end('complete');
      return new Response('<html>', html);
    }
    case '/about':
    case '/about/':
      return new Response('<html>about</html>', html);
    case '/foreign':
      return Response.redirect('http://other.test/');
    default:
      return new Response('no', { status: 404, headers: { 'content-type': 'text/plain' } });
  }
}

async function ask(target: string, init: RequestInit = {}): Promise<Response> {
  return await fetchApp(new Request(origin + target, init));
}

/** What is in the file, after everything so far is written. */
async function readFlights(columns: string): Promise<Record<string, unknown>[]> {
  await stop();
  const database = new DatabaseSync(path.join(folder, 'flights.db'), { readOnly: true });
  const rows = database.prepare(`select ${columns} from flight order by 1`).all();
  database.close();
  return rows.map((each) => ({ ...each }));
}

describe('requests of an app', () => {
  it('are recorded under its id, with what was rendered', async () => {
    await ask('/');
    await ask('/RSC/R/_root.txt', { headers: { [prefetchHeader]: 'hover' } });
    const rows = await readFlights('kind, app, source, path, status, rendering, build, bytes');
    expect(rows).toEqual([
      {
        kind: 'document',
        app: 'shop',
        source: 'runtime',
        path: '/',
        status: 200,
        rendering: 'dynamic',
        build: 'b1',
        bytes: row.length,
      },
      expect.objectContaining({ kind: 'prefetch', app: 'shop', source: 'runtime', path: '/' }),
    ]);
  });

  it('are recorded with the path that the browser shows', async () => {
    fetchApp = recordRequests(answer, { basePath: '/shop/', open: async () => undefined, receivers });
    await ask('/shop/cart');
    expect(await readFlights('path')).toEqual([{ path: '/shop/cart' }]);
  });

  it('that are answered from a prerendered file are recorded with the file', async () => {
    await ask('/about');
    await ask('/about/');
    const file = { rendering: 'prerendered', bytes: 18 };
    expect(await readFlights('path, rendering, bytes')).toEqual([
      { path: '/about', ...file },
      { path: '/about/', ...file },
    ]);
  });

  it('that have to do with no page are not recorded', async () => {
    await ask('/logo.png');
    await ask('/');
    expect(await readFlights('path')).toEqual([{ path: '/' }]);
  });

  it('are recorded as the operator says, who may change it', async () => {
    policy = { mode: 'off' };
    await ask('/');
    policy = { mode: 'errors' };
    await ask('/');
    await nextTurn();
    policy = { mode: 'all' };
    await ask('/?kept');
    expect(await readFlights('query')).toEqual([{ query: 'kept' }]);
  });

  it('get an id, what kind of page it is, and a trace, also where headers cannot be changed', async () => {
    const page = await ask('/');
    expect(page.headers.get(requestIdHeader)).toMatch(/^[\da-f]{32}$/);
    expect(page.headers.get('server-timing')).toMatch(/^sentry-trace;desc="[\da-f-]+", flight;desc="[\da-f]{32}"$/);
    expect(page.headers.get('server-timing')).toContain(page.headers.get(requestIdHeader));
    const payload = await ask('/RSC/R/_root.txt');
    expect([payload.headers.get(pageHeader), payload.headers.get('server-timing')]).toEqual(['dynamic', null]);
    const file = await ask('/logo.png');
    expect([file.headers.get('server-timing'), file.headers.has(requestIdHeader)]).toEqual([null, true]);
    const foreign = await ask('/foreign');
    expect([foreign.status, foreign.headers.get('location')]).toEqual([302, 'http://other.test/']);
    expect(foreign.headers.has(requestIdHeader)).toBe(true);
  });

  it('are answered as ever where recording cannot begin', async () => {
    await stop();
    vi.stubEnv('RECORD_MIB', 'nonsense');
    const lines: string[] = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    await start();
    vi.unstubAllEnvs();
    expect((await ask('/')).status).toBe(200);
    expect(lines).toEqual([expect.stringMatching(/^\[flight-recorder\] flights are not recorded: RECORD_MIB/)]);
  });
});

describe('what browsers of the app send', () => {
  const own = { origin, 'sec-fetch-site': 'same-origin' };

  it('as a report goes to the recorder under the app’s key, as untrusted', async () => {
    const posted: { url: string; headers: Headers; body: string }[] = [];
    vi.stubGlobal('fetch', async (url: URL | string, init: RequestInit = {}) => {
      const body = init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : '';
      posted.push({ url: String(url), headers: new Headers(init.headers), body });
      return Response.json({ id: 'a'.repeat(32) });
    });
    const report = await ask(tunnelPath, {
      method: 'POST',
      body: 'an envelope',
      headers: { ...own, 'user-agent': 'Firefox' },
    });
    expect([report.status, await report.json()]).toEqual([200, { id: 'a'.repeat(32) }]);
    const [sent] = posted;
    expect([sent?.url, sent?.body]).toEqual([`${address.base}/api/shop/envelope/`, 'an envelope']);
    expect(sent?.headers.get(sideHeader)).toBe('browser');
    expect(sent?.headers.get('x-sentry-auth')).toContain(`sentry_key=${address.key}`);
    expect(sent?.headers.get('user-agent')).toBe('Firefox');
  });

  it('as the form of an error page goes there too, with its digest', async () => {
    const bodies: string[] = [];
    vi.stubGlobal('fetch', async (_url: URL | string, init: RequestInit = {}) => {
      bodies.push(init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : '');
      return Response.json({});
    });
    const form = new URLSearchParams({ digest: '3F7K2M9QRT', message: 'I pressed "Buy"', path: '/cart' });
    const thanks = await ask(feedbackPath, { method: 'POST', body: form, headers: own });
    expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining('3F7K2-M9QRT')]);
    const [header, item, event = ''] = bodies[0]?.split('\n') ?? [];
    expect([header, item]).toEqual(['{}', '{"type":"feedback"}']);
    expect(JSON.parse(event)).toEqual({
      type: 'feedback',
      tags: { digest: '3F7K2M9QRT' },
      contexts: { feedback: { message: 'I pressed "Buy"', url: '/cart' } },
    });
    const contact = await ask(feedbackPath);
    expect(await contact.json()).toEqual({
      isOperator: false,
      contact: { name: '', address: '', href: '' },
      takesFeedback: false,
    });
  });

  it('is the app’s where the part is off', async () => {
    const posted = vi.fn();
    vi.stubGlobal('fetch', posted);
    fetchApp = recordRequests(answer, {
      basePath: '/',
      open: async () => undefined,
      receivers: { reports: undefined, feedback: undefined },
    });
    const form = new URLSearchParams({ digest: '3F7K2M9QRT', message: 'I pressed "Buy"', path: '/cart' });
    const answers = [
      await ask(tunnelPath, { method: 'POST', body: 'an envelope', headers: own }),
      await ask(feedbackPath, { method: 'POST', body: form, headers: own }),
      await ask(feedbackPath),
      await ask(toldPath, { method: 'POST', body: '{}', headers: own }),
    ];
    expect(await Promise.all(answers.map((each) => each.text()))).toEqual(['no', 'no', 'no', 'no']);
    expect(posted).not.toHaveBeenCalled();
  });

  it('is asked for again later while the recorder is away, and refused from other origins', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.stubGlobal('fetch', () => Promise.reject(new Error('ECONNREFUSED')));
    const report = await ask(tunnelPath, { method: 'POST', body: 'x', headers: own });
    expect([report.status, report.headers.get('retry-after')]).toEqual([503, '10']);
    const foreign = await ask(tunnelPath, { method: 'POST', body: 'x', headers: { origin: 'http://evil.test' } });
    expect(foreign.status).toBe(403);
  });

  it('about its prefetches is noted in the recording', async () => {
    const prefetch = await ask('/RSC/R/_root.txt', { headers: { [prefetchHeader]: 'hover' } });
    const used = prefetch.headers.get(requestIdHeader) ?? '';
    const note = await ask(usagePath, { method: 'POST', body: `${'d'.repeat(32)},${used}`, headers: own });
    expect(note.status).toBe(204);
    expect(await readFlights('used_at is not null as used')).toEqual([{ used: 1 }]);
  });

  it('about how fast a page was is noted with its document, from its own origin alone', async () => {
    const page = await ask('/');
    const id = page.headers.get(requestIdHeader);
    const body = JSON.stringify({ vitals: { id, fcp: 700 } });
    const foreign = await ask(toldPath, { method: 'POST', body, headers: { origin: 'http://evil.test' } });
    const wrong = await ask(toldPath, { method: 'POST', body: '{"vitals":7}', headers: own });
    const told = await ask(toldPath, { method: 'POST', body, headers: own });
    expect([foreign.status, wrong.status, told.status]).toEqual([403, 400, 204]);
    expect(await readFlights('vitals_json')).toEqual([{ vitals_json: '{"fcp":700}' }]);
  });

  it('on an error page is taken where the recorder is elsewhere, which no page of the app is asked for', async () => {
    await stop();
    stop = await startInside({
      app: 'shop',
      beside: {
        data: undefined,
        read: () => ({ recorder: address, browsers: undefined }),
        readPolicy: () => policy,
        unset: policy,
      },
      release: 'b1',
      isTimed: true,
      createSink: undefined,
      startFlights: undefined,
    });
    const app = vi.fn(() => Response.json({ takesFeedback: currentRequest()?.takesFeedback }));
    fetchApp = recordRequests(app, { basePath: '/', open: async () => undefined, receivers });
    expect(await (await ask(feedbackPath)).json()).toMatchObject({ isOperator: false, takesFeedback: true });
    expect(app).not.toHaveBeenCalled();
    expect(await (await ask('/')).json()).toEqual({ takesFeedback: true });
  });

  it('may come from the address that people use, where a proxy changes the name', async () => {
    vi.stubGlobal('fetch', async () => Response.json({}));
    vi.resetModules();
    vi.stubEnv('FLIGHT_BASE_URL', 'https://shop.example');
    const fresh = await import('./record-requests.ts');
    const { receiveFeedback: feedback, receiveReports: reports } = await import('./receive-from-browsers.ts');
    vi.unstubAllEnvs();
    fetchApp = fresh.recordRequests(answer, {
      basePath: '/',
      open: async () => undefined,
      receivers: { reports, feedback },
    });
    const form = () => new URLSearchParams({ digest: '3F7K2M9QRT', message: 'I pressed "Buy"', path: '/cart' });
    async function post(headers: Record<string, string>): Promise<number[]> {
      const all = { 'sec-fetch-site': 'same-origin', ...headers };
      const answers = [
        await ask(tunnelPath, { method: 'POST', body: 'x', headers: all }),
        await ask(feedbackPath, { method: 'POST', body: form(), headers: all }),
        await ask(usagePath, { method: 'POST', body: 'd'.repeat(32), headers: all }),
        await ask(toldPath, { method: 'POST', body: '{}', headers: all }),
      ];
      return answers.map(({ status }) => status);
    }
    expect(await post({ origin: 'https://shop.example' })).toEqual([200, 200, 204, 204]);
    expect(await post({ origin })).toEqual([200, 200, 204, 204]);
    expect(await post({ origin: 'http://shop.example' })).toEqual([403, 403, 403, 403]);
    expect(await post({ origin: 'https://evil.example' })).toEqual([403, 403, 403, 403]);
    expect(await post({ origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' })).toEqual([
      403, 403, 403, 403,
    ]);
  });
});

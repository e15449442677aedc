import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { beginDraining } from '#src/server/http/draining.ts';

import { health, type Check } from './health.ts';

function createApp(checks: Record<string, Check> = {}): Hono {
  return new Hono().use(health({ checks })).notFound((c) => c.text('a page', 404));
}

function notReady(reasons: readonly string[]): object {
  return { error: { code: 'not-ready', message: 'This server should get no requests now.' }, reasons };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('/healthz', () => {
  it('answers whatever the checks say, also to HEAD', async () => {
    const app = createApp({ database: () => false });
    const response = await app.request('/healthz');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
    expect((await app.request('/healthz', { method: 'HEAD' })).status).toBe(200);
  });

  it('takes nothing', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const response = await createApp().request('/healthz', { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(log).toHaveBeenCalledOnce();
  });

  it('is that path alone', async () => {
    expect(await (await createApp().request('/healthz/x')).text()).toBe('a page');
  });
});

describe('/readyz', () => {
  it('names what is wrong, in one word each', async () => {
    const app = createApp({
      database: () => Promise.reject(new Error('disk I/O error')),
      disk: () => false,
      load: async () => true,
    });
    const response = await app.request('/readyz');
    expect(response.status).toBe(503);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(await response.json()).toEqual(notReady(['database', 'disk']));
  });

  it('does not wait for a check that hangs', async () => {
    const answer = createApp({ database: () => new Promise(() => {}) }).request('/readyz');
    await vi.advanceTimersByTimeAsync(800);
    expect(await (await answer).json()).toEqual(notReady(['database']));
  });

  it('believes for five seconds that one passes which passed before and is late now', async () => {
    const check = vi.fn<Check>(() => true);
    const app = createApp({ database: check });
    expect((await app.request('/readyz')).status).toBe(200);
    check.mockReturnValue(new Promise(() => {}));
    async function askLate(): Promise<number> {
      const answer = app.request('/readyz');
      await vi.advanceTimersByTimeAsync(800);
      return (await answer).status;
    }
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await askLate()).toBe(200);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(await askLate()).toBe(503);
  });

  it('does not believe it of one that says no', async () => {
    const check = vi.fn<Check>(() => true);
    const app = createApp({ database: check });
    expect((await app.request('/readyz')).status).toBe(200);
    vi.advanceTimersByTime(1_001);
    check.mockReturnValue(false);
    expect((await app.request('/readyz')).status).toBe(503);
    check.mockReturnValue(new Promise(() => {}));
    vi.advanceTimersByTime(1_001);
    const late = app.request('/readyz');
    await vi.advanceTimersByTimeAsync(800);
    expect((await late).status).toBe(503);
  });

  it('checks once a second, whoever asks how often', async () => {
    const check = vi.fn<Check>(() => true);
    const app = createApp({ database: check });
    for (let count = 0; count < 10; count += 1) expect((await app.request('/readyz')).status).toBe(200);
    expect(check).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1_001);
    check.mockReturnValue(false);
    expect((await app.request('/readyz')).status).toBe(503);
    expect(check).toHaveBeenCalledTimes(2);
  });

  // The last test: nothing takes it back.
  it('says so at once when the process is about to end', async () => {
    const app = createApp({ database: () => true });
    expect((await app.request('/readyz')).status).toBe(200);
    beginDraining();
    expect(await (await app.request('/readyz')).json()).toEqual(notReady(['draining']));
    expect((await app.request('/healthz')).status).toBe(200);
  });
});

import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { databaseGone, databaseGoneOfFile } from './database-gone.ts';

let isAway = true;

const app = new Hono().use(databaseGone(() => isAway)).all('*', (c) => c.text('served'));

beforeEach(() => {
  isAway = true;
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(() => void vi.restoreAllMocks());

const browser = { accept: 'text/html' };

it.each(['/', '/faults', '/flights/7', '/digest/3F7K2M9QRT', '/labs', '/nothing'])(
  'says it on the page %s',
  async (path) => {
    const response = await app.request(path, { headers: browser });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.text()).toContain('<h1>The database does not answer</h1>');
  },
);

it('is dark where the browser is: the canvas takes its color from the root alone', async () => {
  const page = await (await app.request('/', { headers: browser })).text();
  expect(page).toContain(':root{color-scheme:light dark}');
});

it.each(['/RSC/R/faults.txt', '/flights/events', '/faults'])('says it to a script that asks for %s', async (path) => {
  const response = await app.request(path);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: { code: 'database-gone' } });
});

it.each(['/faults', '/lab', '/login'])('carries out no POST to %s', async (path) => {
  const response = await app.request(path, { method: 'POST', headers: browser });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('5');
  const page = await response.text();
  expect(page).toContain('The database does not answer right now. Nothing was changed.');
  expect(page).toContain('brings back what you typed');
});

it('says it to a script that calls an action', async () => {
  const response = await app.request('/login', { method: 'POST', headers: { accept: 'text/x-component' } });
  expect(await response.json()).toMatchObject({ error: { code: 'database-gone' } });
});

it.each([
  '/lab',
  '/login',
  '/lab/slow',
  '/decode',
  '/protocol',
  '/RSC/R/lab/slow.txt',
  '/favicon.svg',
  '/assets/app-1.js',
])('lets %s pass, which reads no database', async (path) => {
  expect(await (await app.request(path, { headers: browser })).text()).toBe('served');
});

it('lets everything pass while the database answers', async () => {
  isAway = false;
  expect(await (await app.request('/faults', { headers: browser })).text()).toBe('served');
});

it('holds back files of pages that read it', () => {
  const rule = databaseGoneOfFile(() => isAway);
  const admits = (path: string) => Reflect.apply(rule.admits ?? (() => undefined), rule, [{ path }]);
  expect([admits('/RSC/R/faults.txt'), admits('/RSC/R/lab.txt'), admits('/assets/a.js')]).toEqual([false, true, true]);
  isAway = false;
  expect(admits('/RSC/R/faults.txt')).toBe(true);
});

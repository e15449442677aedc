import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Hono } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { readAppAnnouncement } from '#src/apps/app-announcement.ts';
import { appsLimit, ensureApp, findApp, setRecord } from '#src/apps/apps.ts';
import { recordAll } from '#src/apps/record-all.ts';
import { appAnnouncementPath } from '#src/server/http/addresses.ts';
import { visitorSecret } from '#src/server/http/visitor.ts';
import { areMapsKept, keepAppMaps } from '#src/faults/source-maps/keep-app-maps.ts';
import { openStore } from '#src/store/open-store.ts';

import { appAnnouncement } from './app-announcement.ts';

let folder: string;
let server: Hono;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-announcement-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  server = new Hono();
  server.use(appAnnouncement((id, build) => void keepAppMaps(id, build)));
  server.notFound((c) => c.text('the rest', 404));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

async function ask(query: string, key = visitorSecret(), method = 'POST'): Promise<Response> {
  return server.request(`${appAnnouncementPath}${query}`, { method, headers: { authorization: `Bearer ${key}` } });
}

it('adds a new app, and tells its process the keys and what is recorded', async () => {
  const first: unknown = await (await ask('?app=shop&new=1')).json();
  const { secretKey, publicKey, number } = await ensureApp('shop');
  const known = { type: 'known', secretKey, publicKey, number, record: undefined, allUntil: 0 };
  expect(readAppAnnouncement(first)).toEqual(known);
  await setRecord('shop', 'sample:0.5');
  const until = await recordAll('shop', Date.now());
  const later: unknown = await (await ask('?app=shop')).json();
  expect(readAppAnnouncement(later)).toEqual({ ...known, record: 'sample:0.5', allUntil: until });
});

it('does not add an app again that was deleted', async () => {
  const answer: unknown = await (await ask('?app=shop')).json();
  expect(readAppAnnouncement(answer)).toEqual({ type: 'deleted' });
  expect(await findApp('shop')).toBeUndefined();
});

it('keeps the source maps of the build that the process names', async () => {
  const maps = path.join(folder, 'app/dist/maps');
  mkdirSync(maps, { recursive: true });
  writeFileSync(path.join(maps, 'index.js.map'), JSON.stringify({ version: 3, sources: ['a.ts'], mappings: 'AAAA' }));
  const query = (release: string) => new URLSearchParams({ app: 'shop', release, maps }).toString();
  // Of an app that was deleted nothing is kept.
  expect((await ask(`?${query('build-0')}`)).status).toBe(200);
  expect((await ask(`?${query('build-1')}&new=1`)).status).toBe(200);
  const { db } = await openStore();
  const select = db.selectFrom('map_file').select(['app', 'release', 'url']);
  const kept = [{ app: 'shop', release: 'build-1', url: '~/index.js' }];
  await vi.waitFor(async () => expect(await select.execute()).toEqual(kept), 10_000);
  expect(areMapsKept('shop')).toBe(true);
});

it('says why an app cannot be added', async () => {
  for (const number of Array.from({ length: appsLimit }, (_, index) => index)) await ensureApp(`app-${number}`);
  const answer = await ask('?app=shop&new=1');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({ reason: `There are ${appsLimit} apps already; remove one first` });
});

it.each([
  ['?app=shop&new=1', 'guessed', 'POST', 401],
  ['?app=shop&new=1', '', 'POST', 401],
  ['?app=shop&new=1', undefined, 'GET', 405],
  ['?app=Not%20an%20id&new=1', undefined, 'POST', 400],
  ['', undefined, 'POST', 400],
  ['?app=shop&new=1&release=a&maps=dist%2Fmaps', undefined, 'POST', 400],
  ['?app=shop&new=1&release=&maps=%2Fdist', undefined, 'POST', 400],
  ['?app=shop&new=1&release=a', undefined, 'POST', 400],
  [`?app=shop&new=1&release=a&maps=/${'a'.repeat(500)}`, undefined, 'POST', 400],
])('tells nothing to %s with the secret %s and %s', async (query, key, method, status) => {
  const answer = await ask(query, key, method);
  expect(answer.status).toBe(status);
  expect(await answer.text()).not.toContain('secretKey');
  expect(await findApp('shop')).toBeUndefined();
});

it('lets other paths pass', async () => {
  expect(await (await server.request('/')).text()).toBe('the rest');
});

it.each([undefined, {}, { type: 'known' }, { type: 'known', secretKey: 'a', publicKey: 'b', number: '2' }, 'deleted'])(
  'is no announcement: %j',
  (value) => {
    expect(readAppAnnouncement(value)).toBeUndefined();
  },
);

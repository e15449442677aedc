import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { addApp, appsLimit, ensureApp, findApp, findAppWithSecret, readApps, renameApp, renewKeys } from './apps.ts';
import { isAppId, nameToId } from './app-id.ts';
import { authoriseSender } from './authorise-sender.ts';
import { formatRecorderUrl, parseRecorderUrl } from '#report/recorder-url.ts';
import { countRefusal, readRefusals } from './refusals.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-apps-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  store = await openStore();
});

afterEach(async () => {
  await store.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe('an app', () => {
  it('is added with an id from its name and two keys, and found again', async () => {
    const result = await addApp('  My Shop ');
    if (result.type !== 'added') throw new Error(result.reason);
    const { app } = result;
    expect(app).toMatchObject({ id: 'my-shop', name: 'My Shop', record: undefined });
    expect(app.publicKey).toMatch(/^[0-9a-f]{32}$/);
    expect(app.secretKey).toMatch(/^[0-9a-f]{32}$/);
    expect(app.secretKey).not.toBe(app.publicKey);
    expect(await findApp('my-shop')).toEqual(app);
    expect(await readApps()).toEqual([app]);
  });

  it('has a number of its own, also when several are added at once', async () => {
    const results = await Promise.all(['One', 'Two', 'Three', 'Four'].map((name) => addApp(name)));
    expect(results.map(({ type }) => type)).toEqual(['added', 'added', 'added', 'added']);
    expect((await readApps()).map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5]);
    const same = await Promise.all(['Five', 'Five'].map((name) => addApp(name)));
    expect(same.map((result) => (result.type === 'added' ? 'added' : result.reason)).toSorted()).toEqual([
      'added',
      'taken',
    ]);
  });

  it('is refused while anything of an app of that id is still stored: a process that knows it is deleting it', async () => {
    const bundle = { id: 'b', app: 'shop', release: '', dist: '', checksum: '', created: 1, last_used: 1 };
    await store.db.insertInto('map_bundle').values(bundle).execute();
    expect(await addApp('Shop')).toEqual({ type: 'refused', reason: 'being-deleted' });
    await store.db.deleteFrom('map_bundle').execute();
    expect(await addApp('Shop')).toMatchObject({ type: 'added' });
  });

  it('is refused when its id is taken, or when its name gives none', async () => {
    await addApp('Shop');
    expect(await addApp('shop')).toEqual({ type: 'refused', reason: 'taken' });
    for (const name of ['', '   ', '…', 'Flight Recorder', 'x'.repeat(81)]) {
      expect(await addApp(name)).toEqual({ type: 'refused', reason: 'name' });
    }
    expect(await addApp('Shop', '../etc')).toEqual({ type: 'refused', reason: 'name' });
  });

  it('is refused when there are too many', async () => {
    for (let index = 0; index < appsLimit; index += 1) await addApp(`app ${index}`);
    expect(await addApp('one more')).toEqual({ type: 'refused', reason: 'too-many' });
    await expect(ensureApp('one-more')).rejects.toThrow('There are 100 apps already');
  });

  it('is made by the first who needs it, and only then', async () => {
    const app = await ensureApp('shop');
    expect(app.name).toBe('shop');
    expect(await ensureApp('shop')).toEqual(app);
    const [one, other] = await Promise.all([ensureApp('blog'), ensureApp('blog')]);
    expect(one).toEqual(other);
    await expect(ensureApp('Shop!')).rejects.toThrow('"Shop!" cannot be an app\'s id');
  });

  it('is found when another process has added it', async () => {
    expect(await findApp('shop')).toBeUndefined();
    const other = await openStore(path.join(folder, '.'));
    await ensureApp('shop', other);
    expect(await findApp('shop', store)).toBeDefined();
    if (other !== store) await other.close();
  });

  it('keeps its id with another name, and its old keys are worth nothing after new ones', async () => {
    const app = await ensureApp('shop');
    expect(await renameApp('shop', 'The shop')).toMatchObject({ id: 'shop', name: 'The shop' });
    expect(await renameApp('shop', ' ')).toBeUndefined();
    expect(await findAppWithSecret('shop', app.secretKey)).toBeDefined();
    const renewed = await renewKeys('shop');
    expect(await findAppWithSecret('shop', app.secretKey)).toBeUndefined();
    expect(await findAppWithSecret('shop', renewed?.secretKey ?? '')).toBeDefined();
    expect(await findAppWithSecret('other', renewed?.secretKey ?? '')).toBeUndefined();
  });
});

it.each([
  ['Café Ünïcode', 'cafe-unicode'],
  ['--a--', 'a'],
  ['a'.repeat(60), 'a'.repeat(40)],
  ['', undefined],
  ['日本', undefined],
])('the id of %j is %j', (name, id) => expect(nameToId(name)).toBe(id));

it('an id is what an address can hold', () => {
  expect(['a', 'my-shop', 'a1'].every(isAppId)).toBe(true);
  expect(['', '-a', 'a-', 'a--b', 'A', 'a/b', 'flight-recorder', 'a'.repeat(41)].some(isAppId)).toBe(false);
});

describe('who sends for an app', () => {
  it('is known by its secret key alone', async () => {
    const app = await ensureApp('shop');
    expect(await authoriseSender('shop', `Bearer ${app.secretKey}`)).toEqual({ type: 'known', app });
    for (const header of [null, '', app.secretKey, `Bearer ${app.publicKey}`, 'Bearer ', `Basic ${app.secretKey}`]) {
      expect(await authoriseSender('shop', header)).toEqual({ type: 'refused', app });
    }
    expect(await authoriseSender('nobody', `Bearer ${app.secretKey}`)).toEqual({ type: 'refused', app: undefined });
  });

  it('is counted when it is refused', async () => {
    countRefusal({ app: 'shop', endpoint: 'errors', reason: 'body-too-large' });
    countRefusal({ app: 'shop', endpoint: 'errors', reason: 'body-too-large' });
    countRefusal({ app: 'other', endpoint: 'errors', reason: 'body-too-large' });
    expect(await readRefusals('shop')).toEqual([
      { endpoint: 'errors', reason: 'body-too-large', count: 2, lastTime: expect.any(Number) },
    ]);
    countRefusal({ app: 'shop', endpoint: 'errors', reason: 'body-too-large' });
    expect(await readRefusals('shop')).toMatchObject([{ count: 3 }]);
  });
});

describe('the address in FLIGHT_RECORDER', () => {
  it.each([
    ['http://k3y@127.0.0.1:4000/shop', { base: 'http://127.0.0.1:4000', app: 'shop', key: 'k3y' }],
    [
      'https://k3y@example.org/tools/flight/shop',
      { base: 'https://example.org/tools/flight', app: 'shop', key: 'k3y' },
    ],
  ])('%s', (text, address) => {
    expect(parseRecorderUrl(text)).toEqual(address);
    expect(formatRecorderUrl(address)).toBe(text);
  });

  it.each([
    '',
    'shop',
    'http://127.0.0.1/shop',
    'http://k@h/',
    'http://k:p@h/shop',
    'http://k%@h/shop',
    'http://k@h/s%op',
    'ftp://k@h/shop',
    `http://k@h/${'a'.repeat(2_000)}`,
  ])('is not %j', (text) => expect(parseRecorderUrl(text)).toBeUndefined());
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';

import { findMap, forgetFoundMaps, listAddresses, selectOfAddresses, selectOfDebugId } from './find-maps.ts';

describe('listAddresses', () => {
  it.each([
    ['https://shop.example/app/a.js?v=1#x', ['~/app/a.js', '~/a.js']],
    ['/srv/dist/a.js', ['~/srv/dist/a.js', '~/dist/a.js', '~/a.js']],
    ['app:///dist/a.js', ['~/dist/a.js', '~/a.js']],
    ['file:///srv/a.js', ['~/srv/a.js', '~/a.js']],
    ['C:\\srv\\a.js', ['~/C:/srv/a.js', '~/srv/a.js', '~/a.js']],
    ['a.js', ['~/a.js']],
    ['/srv/node_modules/react/index.js', []],
    ['node:internal/process', []],
    [`/${'x'.repeat(1_000)}.js`, []],
  ])('knows how uploads may name %s', (file, addresses) => expect(listAddresses(file)).toEqual(addresses));

  it('looks for eight ends of a long path, and for the whole', () => {
    const parts = Array.from({ length: 30 }, (_, at) => `p${at}`);
    const addresses = listAddresses(`/${parts.join('/')}`);
    expect(addresses).toHaveLength(9);
    expect(addresses[0]).toBe(`~/${parts.join('/')}`);
    expect(addresses.at(-1)).toBe('~/p29');
  });
});

describe('findMap', () => {
  let folder: string;
  let store: Store;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'flight-find-maps-'));
    process.env['FLIGHT_DATA'] = folder;
    store = await openStore();
  });

  afterEach(async () => {
    forgetFoundMaps();
    delete process.env['FLIGHT_DATA'];
    await store.close();
    rmSync(folder, { recursive: true });
  });

  type Map = { readonly url: string; readonly release?: string; readonly app?: string; readonly debugId?: string };

  async function add(hash: string, created: number, { url, release = 'r1', app = 'shop', debugId }: Map) {
    const names = { app, release };
    const bundle = { id: hash, ...names, dist: '', checksum: hash, created, last_used: created };
    await store.db.insertInto('map_bundle').values(bundle).execute();
    const file = { bundle: hash, ...names, url, debug_id: debugId ?? null, hash, bytes: 1, created };
    await store.db.insertInto('map_file').values(file).execute();
  }

  async function find(file: string, { release = 'r1', debugId, app = 'shop' }: Partial<Map> = {}) {
    const place = await findMap(app, release, { file, debugId });
    return place?.type === 'stored' ? path.basename(place.file) : undefined;
  }

  it('takes the longest address of the release, and of two the one that was stored last', async () => {
    await add('short', 9, { url: '~/a.js' });
    await add('other release', 9, { url: '~/app/a.js', release: 'r2' });
    await add('other app', 9, { url: '~/app/a.js', app: 'forum' });
    expect(await find('https://shop.example/app/a.js')).toBe('short');
    forgetFoundMaps();
    await add('late', 8, { url: '~/app/a.js' });
    await add('early', 7, { url: '~/app/a.js' });
    expect(await find('https://shop.example/app/a.js')).toBe('late');
    expect(await find('https://shop.example/app/a.js', { release: 'r3' })).toBeUndefined();
  });

  it('takes the last of a debug id first, whatever the release', async () => {
    const debugId = 'c5dd1d05-4d1c-4e4f-9d0e-d5d7f1a2b3c4';
    await add('address', 9, { url: '~/a.js' });
    await add('late', 8, { url: '~/b.js', release: 'r2', debugId });
    await add('early', 7, { url: '~/b.js', debugId });
    expect(await find('/a.js', { debugId })).toBe('late');
    expect(await find('/a.js', { debugId, app: 'forum' })).toBeUndefined();
  });

  it('of its own app takes another release where it has none of this', async () => {
    const app = 'flight-recorder';
    await add('old', 7, { url: '~/a.js', app, release: 'r0' });
    await add('newer', 8, { url: '~/a.js', app, release: 'r2' });
    expect(await find('/dist/a.js', { app })).toBe('newer');
    forgetFoundMaps();
    await add('own', 6, { url: '~/a.js', app });
    expect(await find('/dist/a.js', { app })).toBe('own');
  });

  it.skipIf(testedEngine === 'postgres')(
    'reads the end of an index, however many an app has stored of one address or debug id',
    async () => {
      async function explain({ sql: text, parameters }: CompiledQuery) {
        const parts = text
          .split('?')
          .flatMap((part, at) => [sql.raw(part), ...(at < parameters.length ? [sql`${parameters[at]}`] : [])]);
        const { rows } = await sql<{ detail: string }>`explain query plan ${sql.join(parts, sql``)}`.execute(store.db);
        return rows.map(({ detail }) => detail).filter((detail) => /map_file|TEMP/.test(detail));
      }
      const byAddress = selectOfAddresses(store.db, 'shop', 'r1', ['~/b/a.js', '~/a.js'])?.compile();
      const index = 'SEARCH map_file USING INDEX map_file_url (app=? AND url=? AND release=?)';
      expect(byAddress && (await explain(byAddress))).toEqual([index, index]);
      expect(await explain(selectOfDebugId(store.db, 'shop', 'd').compile())).toEqual([
        'SEARCH map_file USING INDEX map_file_debug (app=? AND debug_id=?)',
      ]);
    },
  );
});

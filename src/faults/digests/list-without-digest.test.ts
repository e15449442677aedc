import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { testedEngine } from '../../../e2e/testing/postgres/tested-engine.ts';
import { openStore } from '#src/store/open-store.ts';
import type { NewEvent } from '#src/store/schema.ts';

import { readAskedPath, readAskedTime } from './asked-time.ts';
import { listWithoutDigest, newestWithoutDigest, saysNoDigest } from './list-without-digest.ts';

/** These tests are about what is found. src/faults/kept/queries-guard.test.ts tests who may look. */
useOperator();

let folder: string;
const noon = Date.UTC(2026, 10, 20, 12);
const minute = 60_000;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-without-digest-'));
  process.env['FLIGHT_DATA'] = folder;
});

afterEach(async () => {
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
});

async function add(id: string, time: number, event: Partial<NewEvent> = {}): Promise<void> {
  const { db } = await openStore();
  const texts = { release: '', name: 'TypeError', message: id, frames_json: '[]', causes_json: '[]' };
  const plain = { side: 'browser', app: 'shop', fingerprint: 'f', path: '/cart', digest: null, ...texts } as const;
  await db
    .insertInto('event')
    .values({ ...plain, id, time, received_at: time, ...event })
    .execute();
}

async function list(at?: string, page?: string, app?: string): Promise<string[]> {
  const asked = { at: at === undefined ? undefined : readAskedTime(at), path: readAskedPath(page ?? '') };
  return (await listWithoutDigest(app, asked)).map(({ id }) => id);
}

it('lists errors of both sides without a digest, the newest first, of the time and the page that are known', async () => {
  await add('early', noon - 60 * minute);
  await add('near', noon - 4 * minute);
  await add('there', noon + minute, { side: 'server', app: 'shop' });
  await add('elsewhere', noon + 2 * minute, { path: '/checkout' });
  await add('other', noon + 3 * minute, { app: 'blog' });
  await add('with', noon, { digest: '2338734591' });
  expect(await list()).toEqual(['other', 'elsewhere', 'there', 'near', 'early']);
  expect(await list('2026-11-20T12:00')).toEqual(['there', 'elsewhere', 'other', 'near']);
  expect(await list('2026-11-20T12:00', 'https://shop.test/cart?id=1', 'shop')).toEqual(['there', 'near']);
  expect(await list('2026-11-20T16:00')).toEqual([]);
});

it('finds the one of a page among a thousand of others', async () => {
  await add('own', noon, { path: '/checkout/pay1?step=2' });
  for (let n = 0; n < 1_100; n += 1) await add(`other ${n}`, noon + 1_000 + n, { path: '/checkout' });
  expect(await list('2026-11-20T12:00', '/checkout/pay1')).toEqual(['own']);
  await add('home', noon, { path: '' });
  await add('bare', noon, { path: 'checkout/pay2/' });
  const long = `/${'p'.repeat(1_200)}`;
  await add('long', noon, { path: long });
  expect(await list('2026-11-20T12:00', '/')).toEqual(['home']);
  expect(await list('2026-11-20T12:00', long)).toEqual(['long']);
  expect(await list('2026-11-20T12:00', '/checkout/pay2')).toEqual(['bare']);
});

it.skipIf(testedEngine === 'postgres')(
  'takes the newest from an index of those without a digest, and sorts none',
  async () => {
    const { db } = await openStore();
    for (const side of ['server', 'browser'] as const) {
      for (const app of [undefined, 'shop']) {
        for (const at of [undefined, readAskedTime('2026-11-20T12:00')]) {
          const query = newestWithoutDigest(db, side, app, at).compile();
          const { rows } = await db.executeQuery<{ detail: string }>(
            CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]),
          );
          const details = rows.map(({ detail }) => detail);
          const index = side === 'server' ? 'event_none_told' : 'event_none_untrusted';
          expect(details, `${side} ${app} ${at?.time}`).toEqual([expect.stringContaining(`USING INDEX ${index}`)]);
        }
      }
    }
  },
);

it.each([
  ['Digest: none', true],
  ['Something went wrong. (digest: undefined)', true],
  ['"digest":null', true],
  ['Digest: –', true],
  ['Digest: 2338734591', false],
  ['digest nonesuch', false],
  ['none', false],
])('reads in %j that there is none: %s', (typed, expected) => {
  expect(saysNoDigest(typed)).toBe(expected);
});

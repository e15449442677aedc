import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql, type Transaction } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { testedEngine } from '../../e2e/testing/postgres/tested-engine.ts';
import { openStore, type Store } from './open-store.ts';
import type { NewEvent, Side, Tables } from './schema.ts';
import { findMatches, indexDue, isAnyDue, matchesRead, writeMatch } from './search-tables.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-search-'));
  store = await openStore(folder);
  await store.db
    .insertInto('fault_hash')
    .values([toHash('h1', 'f1'), toHash('h2', 'f2')])
    .execute();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function toHash(hash: string, fault: string) {
  const times = { first_time: 1, last_time: 1, first_release: '', last_release: '' };
  return {
    app: 'shop',
    hash,
    fault,
    rule: 'frames',
    side: 'server',
    algorithm: 1,
    parts_json: '[]',
    ...times,
  } as const;
}

const frames = [
  { fn: 'addItem', file: 'file:///srv/dist/chunk-1.js', line: 1, column: 1, inApp: true, source: 'src/cart.ts' },
  { fn: 'runMicrotasks', file: 'node:internal/process', line: 1, column: 1, inApp: false },
];

const causeStack = [
  'FetchError: gateway slept',
  'unsearched',
  '    at readStock (file:///srv/src/stock.ts:7:3)',
  '    at async file:///srv/src/shelf.ts:9:1',
  'askBrowser@https://shop.test/assets/ask.js:1:200',
].join('\n');

function toError(id: string, more: Partial<NewEvent> = {}): NewEvent {
  return {
    id,
    side: 'server',
    digest: id,
    app: 'shop',
    fingerprint: 'h1',
    time: 1,
    received_at: 1,
    phase: 'rsc',
    kind: 'document',
    method: 'GET',
    path: '/orders/7',
    route: '/orders/[id]',
    request_id: '',
    trace_id: '',
    release: 'v41',
    environment: 'staging',
    name: 'TypeError',
    message: 'no price in basket',
    stack: 'unsearched',
    frames_json: JSON.stringify(frames),
    component_stack: null,
    causes_json: JSON.stringify([{ name: 'FetchError', message: 'gateway slept', stack: causeStack }]),
    breadcrumbs_json: JSON.stringify([
      {
        time: 1,
        message: 'GET /stock',
        category: 'fetch',
        data: { url: 'https://pay.test/charge', status: 'unsearched' },
      },
      { time: 2, message: '', category: 'navigation', data: { from: '/unsearched', to: '/thanks' } },
    ]),
    tags_json: JSON.stringify({ browser: 'Firefox 140' }),
    ...more,
  };
}

function toUntrusted(id: string, more: Partial<NewEvent> = {}): NewEvent {
  return {
    id: id,
    app: 'shop',
    digest: null,
    side: 'browser',
    fingerprint: 'h2',
    time: 1,
    received_at: 1,
    name: 'ChunkLoadError',
    message: 'Loading chunk 7 failed',
    path: '/checkout',
    frames_json: '[]',
    component_stack: null,
    breadcrumbs_json: '[]',
    ...more,
  };
}

async function keep(row: NewEvent): Promise<void> {
  expect(await store.commit(async (trx) => void (await trx.insertInto('event').values(row).execute()))).toBe(
    'committed',
  );
}

async function addUntrusted(row: NewEvent): Promise<void> {
  const write = async (trx: Transaction<Tables>) => void (await trx.insertInto('event').values(row).execute());
  expect(await store.commit(write, 'untrusted')).toBe('committed');
}

/** Errors of one fault that have the same word, without their rows. */
async function fill(side: Side, count: number): Promise<void> {
  // PostgreSQL numbers untrusted errors itself.
  const id = sql.raw(side === 'browser' ? '-10 - i' : '10 + i');
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    insert into search_row (id, side, key, app, hash)
    select ${id}, ${sql.lit(side)}, 'x' || i, 'shop', 'h1' from n`.execute(store.db);
  const text = sql`'common' || case when key = 'x1' then ' once' else '' end`;
  const filled = sql`from search_row where key like 'x%'`;
  await (
    testedEngine === 'postgres'
      ? sql`insert into search_text (id, words) select id, to_tsvector('simple', ${text}) ${filled}`
      : sql`insert into search_text (rowid, text) select id, ${text} ${filled}`
  ).execute(store.db);
}

async function find(typed: string): Promise<Record<string, string>> {
  const match = writeMatch(typed);
  return match === undefined ? {} : Object.fromEntries((await findMatches(store.db, match)).latest);
}

async function listFacets(): Promise<string[]> {
  const rows = await store.db
    .selectFrom('fault_facet')
    .selectAll()
    .orderBy('hash')
    .orderBy('name')
    .orderBy('value')
    .execute();
  return rows.map(({ app, hash, name, value }) => `${app} ${hash} ${name} ${value}`);
}

describe('an error', () => {
  it.each([
    'TypeError',
    'typeerror',
    '"no price in basket"',
    'basket no',
    'addItem',
    'runMicrotasks',
    'src/cart.ts',
    'node:internal',
    'FetchError gateway',
    '/stock',
    '"pay test charge"',
    'thanks',
    'readStock',
    '"src stock ts"',
    'shelf.ts',
    'askBrowser',
    'firefox 140',
    'browser',
    '/orders/7',
    'orders id',
    'v41',
    'staging',
    'bask',
  ])('is found by %s as soon as it is committed', async (typed) => {
    await keep(toError('e1'));
    expect(await find(typed)).toEqual({ f1: 'e1' });
  });

  it.each(['baske price', '"price no"', 'unsearched', 'nothing', 'chunk-1.js', '"bask"', '"stock.ts 7"'])(
    'is not found by %s',
    async (typed) => {
      await keep(toError('e1'));
      expect(await find(typed)).toEqual({});
    },
  );

  it('is found as it was changed last, and not at all when it is deleted', async () => {
    await keep(toError('e1', { fingerprint: '', frames_json: '[]' }));
    expect(await find('basket')).toEqual({});
    await store.commit(async (trx) => {
      await trx
        .updateTable('event')
        .where('side', '=', 'server')
        .set({ fingerprint: 'h1', message: 'no cost' })
        .where('id', '=', 'e1')
        .execute();
    });
    expect([await find('cost'), await find('basket')]).toEqual([{ f1: 'e1' }, {}]);
    await store.db.deleteFrom('event').where('side', '=', 'server').where('id', '=', 'e1').execute();
    expect(await find('cost')).toEqual({});
    const texts = sql.table(testedEngine === 'postgres' ? 'search_text' : 'search_text_docsize');
    const rows = await sql<{
      rows: number;
    }>`select (select count(*) from search_row) + (select count(*) from search_due)
      + (select count(*) from ${texts}) as rows`.execute(store.db);
    expect(rows.rows).toEqual([{ rows: 0 }]);
  });

  it('of a browser is found too, and one id on both sides is two errors', async () => {
    await keep(toError('same'));
    await store.commit(
      async (trx) => void (await trx.insertInto('event').values(toUntrusted('same')).execute()),
      'untrusted',
    );
    expect([await find('chunk'), await find('basket')]).toEqual([{ f2: 'same' }, { f1: 'same' }]);
    await store.db.deleteFrom('event').where('side', '=', 'browser').execute();
    expect([await find('chunk'), await find('basket')]).toEqual([{}, { f1: 'same' }]);
  });

  it('that was written past the groups is indexed with the next one', async () => {
    await store.db.insertInto('event').values(toError('e1')).execute();
    expect([await isAnyDue(store.db), await find('basket')]).toEqual([true, {}]);
    expect(await store.commit(async () => undefined)).toBe('committed');
    expect([await isAnyDue(store.db), await find('basket')]).toEqual([false, { f1: 'e1' }]);
  });

  it('is still itself after VACUUM has given rows other numbers', async () => {
    for (const id of ['e1', 'e2', 'e3']) await keep(toError(id, { message: `only ${id}` }));
    await store.db.deleteFrom('event').where('side', '=', 'server').where('id', '=', 'e1').execute();
    await sql`vacuum`.execute(store.db);
    await store.db.deleteFrom('event').where('side', '=', 'server').where('id', '=', 'e2').execute();
    expect([await find('e1'), await find('e2'), await find('e3')]).toEqual([{}, {}, { f1: 'e3' }]);
  });

  it.each([
    ['no JSON', 'no JSON', 'no JSON'],
    ['7', '"text"', '[1]'],
    ['[1, null, "x", {"fn": 7}]', '[{"message": null}]', '{"a": 1, "b": null}'],
  ])('whose lists are %s, %s and %s is stored all the same', async (frames_json, breadcrumbs_json, tags_json) => {
    await keep(toError('e1', { frames_json, breadcrumbs_json, tags_json, causes_json: 'no JSON' }));
    expect(await find('basket')).toEqual({ f1: 'e1' });
  });
});

describe('matches', () => {
  it('are the latest error of each fault', async () => {
    await keep(toError('e1'));
    await keep(toError('e2'));
    await keep(toError('e3', { fingerprint: 'h2' }));
    await keep(toError('e4', { message: 'another' }));
    expect(await find('basket')).toEqual({ f1: 'e2', f2: 'e3' });
  });

  it('are those of servers first, whatever browsers report of the same fault later', async () => {
    await keep(toError('e1'));
    await keep(toError('e2', { message: 'another' }));
    for (const id of ['r1', 'r2']) {
      await addUntrusted(toUntrusted(id, { fingerprint: 'h1', message: 'basket, untrusted' }));
    }
    expect([await find('basket'), await find('untrusted')]).toEqual([{ f1: 'e1' }, { f1: 'r2' }]);
  });

  it('of servers are found however many untrusted errors have the same words, which are said to be cut', async () => {
    await keep(toError('e1', { message: 'common' }));
    await fill('browser', matchesRead + 101);
    await keep(toError('e2', { fingerprint: 'h2', message: 'common' }));
    const { latest, cut } = await findMatches(store.db, '"common"');
    expect(Object.fromEntries(latest)).toEqual({ f1: 'e1', f2: 'e2' });
    expect([...cut]).toEqual(['browser']);
  });

  it('of one app are found however many another has with the same words', async () => {
    const hash = { ...toHash('h1', 'f1'), app: 'blog' };
    await store.db.insertInto('fault_hash').values(hash).execute();
    await keep(toError('e1', { app: 'blog', message: 'common' }));
    await fill('server', matchesRead + 101);
    const { latest, cut } = await findMatches(store.db, '"common"', 'blog');
    expect([Object.fromEntries(latest), cut.size]).toEqual([{ f1: 'e1' }, 0]);
    expect([...(await findMatches(store.db, '"common"', 'shop')).cut]).toEqual(['server']);
  });

  it('say when there are more than are looked at', async () => {
    await fill('server', matchesRead);
    expect([...(await findMatches(store.db, '"common"')).cut]).toEqual(['server']);
    expect((await findMatches(store.db, '"once"')).cut.size).toBe(0);
  });
});

describe('what somebody typed', () => {
  it.each([
    ['a', '"a"'],
    ['ab', '"ab" *'],
    ['two words', '"two" "words" *'],
    ['"a phrase" word', '"a phrase" "word" *'],
    ['word "a phrase"', '"word" "a phrase"'],
    ['"never closed', '"never closed"'],
    ['NEAR( x AND *', '"NEAR(" "x" "AND" *'],
    ['  ', undefined],
    ['"" — * ()', undefined],
  ])('%s is %s', (typed, match) => {
    expect(writeMatch(typed)).toBe(match);
  });

  it('never is an error, whatever it is', async () => {
    await keep(toError('e1'));
    const hostile = [
      `"`,
      `'; drop table error; --`,
      'text:basket',
      '{text}: x',
      '^basket',
      'a OR b',
      'NOT basket',
      'NEAR(a b, 3)',
      'a\0b basket',
      '\u{202e}x \u{d800}y',
      '*'.repeat(500),
      '"a" "b" "c',
      'x'.repeat(5_000),
      'w '.repeat(2_000),
      '-basket +price',
      String.fromCharCode(...Array.from({ length: 200 }, (_, code) => code)),
    ];
    for (const typed of hostile) await expect(find(typed)).resolves.toBeTypeOf('object');
    expect(await find('^basket')).toEqual({ f1: 'e1' });
  });

  it('has eight words at most', () => {
    expect(writeMatch('a b c d e f g h i j')).toBe('"a" "b" "c" "d" "e" "f" "g" "h"');
  });
});

describe('facets', () => {
  it('say where and when a hash occurred, and stay when its errors go', async () => {
    await keep(toError('e1'));
    await keep(toError('e2', { release: 'v42', route: '' }));
    await store.db.deleteFrom('event').where('side', '=', 'server').execute();
    expect(await listFacets()).toEqual([
      'shop h1 environment staging',
      'shop h1 phase rsc',
      'shop h1 release v41',
      'shop h1 release v42',
      'shop h1 route /orders/7',
      'shop h1 route /orders/[id]',
    ]);
  });

  it('of an untrusted error are those of a browser; what is not known is no value, and there is none without a hash', async () => {
    await keep(toError('e1', { fingerprint: '' }));
    await store.commit(async (trx) => void (await trx.insertInto('event').values(toUntrusted('r1')).execute()));
    expect(await listFacets()).toEqual(['shop h2 untrusted-phase browser', 'shop h2 untrusted-route /checkout']);
  });

  it('are at most a hundred of a kind', async () => {
    for (let at = 0; at < 120; at += 1) await keep(toError(`e${at}`, { route: `/stranger/${at}` }));
    expect((await listFacets()).filter((facet) => facet.includes('route'))).toHaveLength(100);
  });

  it('that browsers report take no place of what servers told', async () => {
    for (let at = 0; at < 120; at += 1) {
      const row = { ...toUntrusted(`r${at}`), fingerprint: 'h1', path: `/stranger/${at}`, release: `v-stranger-${at}` };
      await store.commit(async (trx) => void (await trx.insertInto('event').values(row).execute()));
    }
    await keep(toError('e1'));
    const facets = await listFacets();
    expect(facets.filter((facet) => facet.includes('untrusted-route'))).toHaveLength(100);
    expect(facets).toContain('shop h1 route /orders/[id]');
    expect(facets).toContain('shop h1 release v41');
  });
});

describe('many rows that were written past the groups', () => {
  it('are indexed bit by bit', async () => {
    await store.transact(async (trx) => {
      for (let at = 0; at < 250; at += 1) {
        await trx
          .insertInto('event')
          .values(toError(`e${at}`))
          .execute();
      }
      await trx.insertInto('event').values(toUntrusted('r1')).execute();
    });
    expect([await isAnyDue(store.db), await find('basket')]).toEqual([true, {}]);
    expect(await store.transact(indexDue)).toBe(200);
    expect(await find('basket')).toEqual({ f1: 'e249' });
    expect(await store.transact(indexDue)).toBe(51);
    expect(await store.transact(indexDue)).toBe(0);
    expect(await isAnyDue(store.db)).toBe(false);
  });
});

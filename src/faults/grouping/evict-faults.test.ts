import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Transaction } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';
import { indexDue } from '#src/store/search-tables.ts';

import { ageLimitMs, enforceRetention } from '../kept/retention.ts';
import { ageCounts } from './age-counts.ts';
import { evictFaults } from './evict-faults.ts';
import { addActivity } from './add-activity.ts';
import { insertEvent } from '../kept/insert-event.ts';
import { noteEvent } from './note-row.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** A day's first hour. */
const now = Date.UTC(2026, 10, 20);

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-faults-'));
  vi.stubEnv('FLIGHT_DATA_LIMIT', '16MiB');
  store = await openStore(folder);
  vi.unstubAllEnvs();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const texts = {
  name: 'Error',
  message: 'boom',
  path: '/',
  level: 'error',
  release: 'r1',
  frames_json: '[]',
  causes_json: '[]',
} as const;

type TestedError = {
  readonly hash: string;
  readonly time: number;
  readonly app?: string;
  readonly side?: 'server' | 'browser';
  readonly user?: string;
  readonly name?: string;
};

let written = 0;

async function noteOne(trx: Transaction<Tables>, error: TestedError): Promise<string> {
  const { hash, time, app = 'flight-recorder', side = 'server', user, name = texts.name } = error;
  written += 1;
  const key = `${hash}.${written}`;
  const grouping = { fingerprint: hash, rule: 'frames', parts: [hash] } as const;
  const of = { ...texts, name, app, fingerprint: hash, user_key: user ?? null };
  const row = { ...of, id: key, side, time, received_at: time };
  const { columns } = await noteEvent(trx, row, { grouping, frames: [] });
  await insertEvent(trx, { ...row, ...columns });
  return columns.fault ?? '';
}

/** @returns the fault of the last one */
async function note(...errors: readonly TestedError[]): Promise<string> {
  return store.db.transaction().execute(async (trx) => {
    let fault = '';
    for (const error of errors) fault = await noteOne(trx, error);
    return fault;
  });
}

/** One of each of so many faults, one after the other. */
async function noteFaults(faults: number, error: Omit<TestedError, 'hash'>, everyMs = 1): Promise<void> {
  const all = Array.from({ length: faults }, (_, index) => index);
  await note(
    ...all.map((index) => ({
      ...error,
      hash: `h${String(index).padStart(3, '0')}`,
      time: error.time + index * everyMs,
    })),
  );
}

async function listHashes(): Promise<string[]> {
  const rows = await store.db.selectFrom('fault_hash').select('hash').orderBy('hash').execute();
  return rows.map(({ hash }) => hash);
}

async function count(table: 'event' | 'fault' | 'fault_hash' | 'fault_hour' | 'fault_activity' | 'fault_user') {
  const { rows } = await store.db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  return rows;
}

async function evictAll(): Promise<void> {
  while ((await evictFaults(store)) > 0);
}

describe('faults that are too many', () => {
  /** 2 % of 16 MiB, 4 KiB each. */
  const untrusted = 81;

  it('leave nothing of what their alerts were', async () => {
    const channel = { name: 'c', kind: 'webhook', target: 'http://127.0.0.1/', rules_json: '{}', created: 1 } as const;
    const channels = ['c', 'd'].map((id) => ({ id, ...channel }));
    await store.db.insertInto('alert_channel').values(channels).execute();
    await noteFaults(untrusted + 20, { time: now, side: 'browser' });
    const faults = await store.db.selectFrom('fault').select('id').execute();
    const sent = faults.flatMap(({ id }) =>
      ['c', 'd'].map((to) => ({ channel: to, fault: id, time: 1, seen: 1, held: null })),
    );
    await store.db.insertInto('alert_sent').values(sent).execute();
    await evictAll();
    const left = await store.db.selectFrom('alert_sent').select('fault').execute();
    expect(left).toHaveLength(2 * untrusted);
    const kept = await store.db.selectFrom('fault').select('id').execute();
    expect(new Set(left.map(({ fault }) => fault))).toEqual(new Set(kept.map(({ id }) => id)));
  });

  it('of browsers alone: the silent and rare ones go, with all that belongs to them', async () => {
    await noteFaults(untrusted + 20, { time: now, side: 'browser', user: 'u' });
    await note({ hash: 'h000', time: now, side: 'browser' });
    await note({ hash: 'h001', time: now + 1_000, side: 'browser' });
    await note({ hash: 'server', time: 1 });
    while ((await store.transact(indexDue)) > 0);
    await evictAll();
    const left = await listHashes();
    expect(left).toHaveLength(untrusted + 1);
    const facets = await store.db.selectFrom('fault_facet').select('hash').distinct().orderBy('hash').execute();
    expect(facets.map(({ hash }) => hash)).toEqual(left);
    // It is silent for longest, and came twice: rarer ones went. Another one came again.
    expect(left).toEqual(expect.arrayContaining(['h000', 'h001', 'server']));
    expect(left).not.toContain('h002');
    expect(left).toContain('h100');
    for (const table of ['fault', 'fault_activity', 'fault_hour'] as const) {
      expect(await count(table)).toBe(untrusted + 1);
    }
    expect(await count('event')).toBe(untrusted + 3);
    expect(await count('fault_user')).toBe(untrusted);
  });

  it('of other apps: the app with most gives, and what the operator did something with stays', async () => {
    /** 5 %, 4 KiB each. */
    const servers = 204;
    const touched = await note({ hash: 'touched', time: now - 5_000, app: 'shop' });
    await store.db.transaction().execute(async (trx) => {
      await addActivity(trx, { fault: touched, app: 'shop', time: now, type: 'muted', by: 'operator' });
    });
    const kept = await note({ hash: 'merged to', time: now - 4_000, app: 'shop' });
    await note({ hash: 'merged', time: now - 4_000, app: 'shop' });
    await store.db
      .updateTable('fault')
      .set({ merged_into: kept })
      .where('last_time', '=', now - 4_000)
      .where('id', '!=', kept)
      .execute();
    await note({ hash: 'blog', time: now - 9_000, app: 'blog' });
    await note({ hash: 'own', time: now - 9_000 });
    await noteFaults(servers + 30, { time: now, app: 'shop' }, hour);
    await evictAll();
    const left = await listHashes();
    expect(left).toEqual(expect.arrayContaining(['touched', 'merged', 'merged to', 'blog', 'own', 'h233']));
    expect(left).toHaveLength(servers + 1);
    expect(left).not.toContain('h000');
  });

  it('that come in a flood go before what was there, and before what is new besides', async () => {
    const old = Array.from({ length: 4 }, (_, index) => `old${index}`);
    await note(...old.map((hash, index) => ({ hash, time: now - 2 * day + index * 60_000, app: 'shop' })));
    await noteFaults(300, { time: now, app: 'shop', name: 'URIError' });
    await note({ hash: 'new', time: now + 400, app: 'shop', name: 'TypeError' });
    await evictAll();
    const left = await listHashes();
    expect(left).toEqual(expect.arrayContaining([...old, 'new']));
    expect(left).not.toContain('h299');
  });

  it('is a part of each pass of retention', async () => {
    await noteFaults(untrusted + 3, { time: now, side: 'browser' });
    expect(await enforceRetention(store, now, undefined, 1)).toBe(3);
    expect(await count('fault')).toBe(untrusted);
  });
});

describe('counts', () => {
  it('of hours older than 30 days become days, and no count is lost', async () => {
    const old = now - 31 * day;
    const times = [old, old + hour, old + hour + 1, old + 23 * hour, old + 25 * hour, now - hour];
    await note(...times.map((time) => ({ hash: 'a', time })));
    await note({ hash: 'a', time: old + 2 * hour, side: 'browser' });
    await note({ hash: 'b', time: old + 3 * hour });
    await ageCounts(store, now, ageLimitMs, 1);
    const hours = await store.db
      .selectFrom('fault_hour')
      .select(['app', 'hash', 'hour', 'count', 'untrusted'])
      .orderBy('hash')
      .orderBy('hour')
      .execute();
    const app = 'flight-recorder';
    expect(hours).toEqual([
      { app, hash: 'a', hour: old, count: 4, untrusted: 1 },
      { app, hash: 'a', hour: old + 25 * hour, count: 1, untrusted: 0 },
      { app, hash: 'a', hour: now - hour, count: 1, untrusted: 0 },
      { app, hash: 'b', hour: old, count: 1, untrusted: 0 },
    ]);
    // The next day, once it is old, too.
    await ageCounts(store, now + day, ageLimitMs, 1);
    expect(
      await store.db.selectFrom('fault_hour').select('hour').where('hash', '=', 'a').orderBy('hour').execute(),
    ).toEqual([{ hour: old }, { hour: old + day }, { hour: now - hour }]);
  });

  it('forget the users of a fault 90 days after its last error, and no others', async () => {
    const silent = { hash: 'silent', time: now - ageLimitMs - 1 };
    await note(...Array.from({ length: 700 }, (_, index) => ({ ...silent, user: `u${index}` })));
    await note({ hash: 'recent', time: now - ageLimitMs, user: 'u1' });
    await ageCounts(store, now, ageLimitMs, 1);
    expect(await store.db.selectFrom('fault_user').select('hash').execute()).toEqual([{ hash: 'recent' }]);
    expect(await store.db.selectFrom('fault').select('users').orderBy('users').execute()).toEqual([
      { users: 1 },
      { users: 700 },
    ]);
  });

  it('forget the first users when there are too many', async () => {
    /** 2.5 % of 16 MiB, 128 bytes each. */
    const users = 3_276;
    await store.db.transaction().execute(async (trx) => {
      for (let index = 0; index < users + 600; index += 1) {
        await trx
          .insertInto('fault_user')
          .values({ app: 'a', hash: 'h', user_key: `u${index}` })
          .execute();
      }
    });
    await ageCounts(store, now, ageLimitMs, 1);
    const left = await store.db.selectFrom('fault_user').select('user_key').execute();
    expect(left).toHaveLength(users);
    expect(left).not.toContainEqual({ user_key: 'u599' });
    expect(left).toContainEqual({ user_key: 'u600' });
  });

  it('forget a fault a year after its last error, when no row is left and the operator did nothing', async () => {
    const year = 365 * day;
    await note({ hash: 'forgotten', time: now - year - 1 });
    await note({ hash: 'untrusted', time: now - year - 1, side: 'browser' });
    await note({ hash: 'young', time: now - year });
    const touched = await note({ hash: 'touched', time: now - year - 1 });
    await store.db.transaction().execute(async (trx) => {
      await addActivity(trx, { fault: touched, app: 'flight-recorder', time: now, type: 'muted', by: 'operator' });
    });
    await ageCounts(store, now, ageLimitMs, 1);
    expect(await count('fault')).toBe(4);
    await enforceRetention(store, now, undefined, 1);
    await ageCounts(store, now, ageLimitMs, 1);
    expect(await listHashes()).toEqual(['touched', 'young']);
  });
});

it('what people wrote goes 90 days after it came', async () => {
  const feedback = { app: 'a', source: 'sdk', name: '', email: '', message: 'x', path: '', bytes: 1 } as const;
  for (const [id, received_at] of [
    ['old', now - ageLimitMs - 1],
    ['young', now - ageLimitMs],
  ] as const) {
    await store.db
      .insertInto('feedback')
      .values({ ...feedback, id, received_at })
      .execute();
  }
  expect(await enforceRetention(store, now, undefined, 1)).toBe(1);
  expect(await store.db.selectFrom('feedback').select('id').execute()).toEqual([{ id: 'young' }]);
});

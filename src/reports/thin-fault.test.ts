import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import type { Level } from '#src/store/schema.ts';

import { addTurn } from './faults/add-turn.ts';
import { noteErrorRow, noteReportRow } from './faults/note-row.ts';
import { newestKept, readRank } from './thin-fault.ts';

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-thin-'));
  vi.stubEnv('FLIGHT_DATA_LIMIT', '64MiB');
  store = await openStore(folder);
  vi.unstubAllEnvs();
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const error = {
  app: 'flight-recorder',
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/',
  route: '',
  request_id: '',
  trace_id: '',
  name: 'Error',
  release: 'r1',
  level: 'error' satisfies Level,
  user_key: null,
  message: 'boom',
  stack: 'x'.repeat(4_000),
  frames_json: '[]',
  component_stack: null,
  causes_json: '[]',
  bytes: 4_000,
} as const;

/** Stores errors as the server does, many to a transaction. */
async function addErrors(faults: readonly string[], from: number): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    for (const [index, fingerprint] of faults.entries()) {
      const time = from + index;
      const row = { ...error, id: `${fingerprint}.${time}`, fingerprint, time, received_at: time };
      const grouping = { fingerprint, rule: 'frames', older: [], parts: [fingerprint] } as const;
      const { fault, ordinal } = await noteErrorRow(trx, row, { grouping, frames: [] });
      await trx
        .insertInto('error')
        .orFail()
        .values({ ...row, fault, ordinal })
        .execute();
    }
  });
}

async function listOrdinals(fingerprint: string): Promise<number[]> {
  const rows = await store.db
    .selectFrom('error')
    .select('ordinal')
    .where('fingerprint', '=', fingerprint)
    .orderBy('received_at')
    .execute();
  return rows.map(({ ordinal }) => ordinal ?? 0);
}

async function addClaims(fingerprint: string, times: readonly number[]): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    for (const time of times) {
      const { name, message, app, level, path: at } = error;
      const texts = { app, fingerprint, name, message, level, path: at, frames_json: '[]', breadcrumbs_json: '[]' };
      const row = {
        ...texts,
        event_id: `claim.${time}`,
        side: 'browser',
        time,
        received_at: time,
        release: '',
      } as const;
      const grouping = { fingerprint, rule: 'frames', older: [], parts: [fingerprint] } as const;
      const { columns } = await noteReportRow(trx, { ...row, user_key: null }, { grouping, frames: [] });
      await trx
        .insertInto('report')
        .values({ ...row, ...columns })
        .execute();
    }
  });
}

async function countOthers(fingerprint: string): Promise<number> {
  const { count } = await store.db
    .selectFrom('error')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('fingerprint', '!=', fingerprint)
    .executeTakeFirstOrThrow();
  return count;
}

it('the rank is 0 for powers of two, and of each doubling half of the ordinals have the highest', () => {
  expect([1, 2, 4, 1024, 2 ** 40].map(readRank)).toEqual([0, 0, 0, 0, 0]);
  expect([3, 5, 6, 7, 96, 100].map(readRank)).toEqual([1, 2, 1, 2, 1, 4]);
  const ranks = Array.from({ length: 64 }, (_, index) => readRank(64 + index));
  expect([0, 1, 2, 3, 4, 5, 6].map((rank) => ranks.filter((one) => one === rank).length)).toEqual([
    1, 1, 2, 4, 8, 16, 32,
  ]);
  expect(readRank(null)).toBe(Number.POSITIVE_INFINITY);
});

/** Each is a dozen statements, and with PostgreSQL each of these is a message to the server and back. */
const flooded = { sqlite: 50_000, postgres: 2_000 } as const;

it(
  'of thousands of occurrences of one fault some hundred stay, and all of 200 others',
  { timeout: 120_000 },
  async () => {
    const occurrences = flooded[store.engine];
    await addErrors(
      Array.from({ length: 600 }, (_, index) => `other${index % 200}`),
      1_000,
    );
    const flood = Array.from({ length: 1_000 }, () => 'flood');
    for (let stored = 0; stored < occurrences; stored += flood.length) {
      await addErrors(flood, 2_000 + stored);
      // 200 MB pass through a database of 64 MiB.
      expect(store.measureFill()).toBeLessThan(0.15);
    }
    expect(await countOthers('flood')).toBe(600);
    const left = await listOrdinals('flood');
    expect(left.length).toBeLessThan(500);
    // At the beginning and at the end all of them.
    expect(left.slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
    expect(left.slice(-newestKept)).toEqual(
      Array.from({ length: newestKept }, (_, index) => occurrences - newestKept + 1 + index),
    );
    // Between, 32 of each doubling, at equal distances.
    for (let start = 64; 2 * start <= occurrences; start *= 2) {
      const expected = Array.from({ length: 32 }, (_, index) => start + (index * start) / 32);
      expect(left.filter((ordinal) => ordinal >= start && ordinal < 2 * start)).toEqual(expected);
    }
    const fault = await store.db.selectFrom('fault').selectAll().where('count', '>', 10).executeTakeFirstOrThrow();
    expect(fault.count).toBe(occurrences);
    const kept = await store.db.selectFrom('kept_fault').select('rows').where('fault', '=', fault.id).execute();
    expect(kept).toEqual([{ rows: left.length }]);
  },
);

it('what a turn names stays, whatever its rank', async () => {
  await addErrors(
    Array.from({ length: 99 }, () => 'flood'),
    1,
  );
  const { id: fault } = await store.db.selectFrom('fault').select('id').executeTakeFirstOrThrow();
  const turn = { fault, app: ownApp, time: 99, type: 'regressed', by: 'system', occurrence: 'flood.77' } as const;
  await store.db.transaction().execute((trx) => addTurn(trx, turn));
  await addErrors(
    Array.from({ length: 401 }, () => 'flood'),
    100,
  );
  const left = await listOrdinals('flood');
  expect(left).toContain(77);
  expect(left).not.toContain(75);
  expect(left).not.toContain(79);
});

it('occurrences of both sides are thinned, each with newest ones of its own', async () => {
  await addErrors(
    Array.from({ length: 30 }, () => 'flood'),
    1,
  );
  await addClaims(
    'flood',
    Array.from({ length: 300 }, (_, index) => 31 + index),
  );
  const { id } = await store.db.selectFrom('fault').select('id').executeTakeFirstOrThrow();
  const kept = await store.db.selectFrom('kept_fault').select(['side', 'rows']).where('fault', '=', id).execute();
  expect(kept).toContainEqual({ side: 'error', rows: 30 });
  const reports = kept.find(({ side }) => side === 'report')?.rows ?? 0;
  expect(reports).toBeGreaterThan(120);
  expect(reports).toBeLessThan(220);
});

it('claims thin no error of a server', async () => {
  await addErrors(
    Array.from({ length: 200 }, () => 'told'),
    1,
  );
  const before = await listOrdinals('told');
  await addClaims(
    'told',
    Array.from({ length: 1_500 }, (_, index) => 1_000 + index),
  );
  expect(await listOrdinals('told')).toEqual(before);
  await addErrors(['told'], 10_000);
  expect((await listOrdinals('told')).at(-1)).toBe(201);
});

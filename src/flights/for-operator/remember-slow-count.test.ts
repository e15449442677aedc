import { Kysely, DummyDriver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { FlightTables } from '../flight/stored-tables.ts';

import { rememberSlowCount } from './remember-slow-count.ts';

function createDatabase(): Kysely<FlightTables> {
  return new Kysely<FlightTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** Each count takes `ms` and is one more than the one before. */
function createCount(ms: number) {
  let asked = 0;
  return rememberSlowCount(async () => {
    vi.advanceTimersByTime(ms);
    return (asked += 1);
  });
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('counts again each time while that is quick', async () => {
  const [count, db] = [createCount(200), createDatabase()];
  expect([await count(db), await count(db)]).toEqual([1, 2]);
});

it('remembers a slow count for twenty times as long as it took', async () => {
  const [count, db] = [createCount(300), createDatabase()];
  expect(await count(db)).toBe(1);
  vi.advanceTimersByTime(5_999);
  expect(await count(db)).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await count(db)).toBe(2);
});

it('counts another database for itself', async () => {
  const count = createCount(300);
  expect(await count(createDatabase())).toBe(1);
  expect(await count(createDatabase())).toBe(2);
});

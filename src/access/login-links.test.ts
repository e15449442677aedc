import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { createLoginLink, toLoginUrl, useLoginLink } from './login-links.ts';
import { mintSecret } from './secret.ts';

const minute = 60_000;

let folder: string;
let store: Store;
let wall: number;
const clock = () => wall;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-links-'));
  store = await openStore(folder);
  wall = Date.UTC(2026, 10, 21);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function use(secret: string) {
  return store.db.transaction().execute((trx) => useLoginLink(trx, secret, clock));
}

it('has 256 bits behind the #, and only their hash in the database', async () => {
  const secret = await createLoginLink(store, clock);
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect(toLoginUrl('https://flight.example', secret)).toBe(`https://flight.example/login#${secret}`);
  expect(JSON.stringify(await store.db.selectFrom('login_link').selectAll().execute())).not.toContain(secret);
});

it('works once', async () => {
  const secret = await createLoginLink(store, clock);
  expect(await use(secret)).toBeUndefined();
  expect(await use(secret)).toBe('link-used');
});

it('works for one of many who try at once', async () => {
  const secret = await createLoginLink(store, clock);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => use(secret)));
  expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
});

it('works again when the transaction that used it did not happen', async () => {
  const secret = await createLoginLink(store, clock);
  const failing = store.db.transaction().execute(async (trx) => {
    await useLoginLink(trx, secret, clock);
    throw new Error('disk full');
  });
  await expect(failing).rejects.toThrow('disk full');
  expect(await use(secret)).toBeUndefined();
});

it('works for 15 minutes', async () => {
  const early = await createLoginLink(store, clock);
  const late = await createLoginLink(store, clock);
  wall += 15 * minute - 1;
  expect(await use(early)).toBeUndefined();
  wall += 1;
  expect(await use(late)).toBe('link-expired');
});

it('works as long as whoever made it says', async () => {
  const early = await createLoginLink(store, clock, 10 * minute);
  const late = await createLoginLink(store, clock, 10 * minute);
  wall += 10 * minute - 1;
  expect(await use(early)).toBeUndefined();
  wall += 1;
  expect(await use(late)).toBe('link-expired');
});

it('is worth nothing when the clock says that it was made later than now', async () => {
  const secret = await createLoginLink(store, clock);
  wall -= 61 * 60 * minute;
  expect(await use(secret)).toBe('link-expired');
});

it('is not known when nobody made it, whatever it looks like', async () => {
  for (const given of ['', 'x', mintSecret(), "' or 1=1 --", 'a'.repeat(10_000)]) {
    expect(await use(given)).toBe('link-unknown');
  }
});

it('leaves no old ones behind', async () => {
  await createLoginLink(store, clock);
  wall += 25 * 60 * minute;
  await createLoginLink(store, clock);
  expect(await store.db.selectFrom('login_link').selectAll().execute()).toHaveLength(1);
});

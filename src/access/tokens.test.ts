import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import {
  findTokenAccess,
  findUploadApp,
  makeToken,
  mintTokenId,
  readTokens,
  revokeAllTokens,
  revokeToken,
  tokensLimit,
  type NewToken,
} from './tokens.ts';

let folder: string;
let store: Store;
let now: number;
const clock = () => now;
const minute = 60_000;
const day = 24 * 60 * minute;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-tokens-'));
  store = await openStore(folder);
  now = Date.UTC(2026, 10, 21);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const plain: NewToken = { name: 'a script', allows: 'read', apps: undefined, days: 90 };

async function make(asked: Partial<NewToken> = {}): Promise<string> {
  const made = await makeToken(store, { ...plain, ...asked }, clock);
  if (made.type === 'refused') throw new Error(made.problem);
  return made.secret;
}

it('opens what it was made for, and its text is stored nowhere', async () => {
  const [all, some] = [await make(), await make({ apps: ['shop', 'blog'] })];
  expect(all).toMatch(/^flr_[0-9a-hjkmnp-tv-z]{8}_[\w-]{43}$/);
  expect(await findTokenAccess(all, store, clock)).toEqual({
    kind: 'reader',
    apps: undefined,
    token: all.slice(4, 12),
  });
  expect(await findTokenAccess(some, store, clock)).toMatchObject({ kind: 'reader', apps: ['shop', 'blog'] });
  const rows = JSON.stringify(await store.db.selectFrom('api_token').selectAll().execute());
  for (const secret of [all, some]) expect(rows).not.toContain(secret.slice(13));
});

it('uploads for its one app, and reads nothing; one that reads uploads nothing', async () => {
  const upload = await make({ allows: 'upload', apps: ['shop'] });
  expect(upload).toMatch(/^flu_[0-9a-hjkmnp-tv-z]{8}_[\w-]{43}$/);
  expect(await findUploadApp(upload, store, clock)).toBe('shop');
  expect((await readTokens(store))[0]).toMatchObject({ allows: 'upload', apps: ['shop'], lastUsed: now });
  const read = await make({ apps: ['shop'] });
  for (const text of [upload, upload.replace('flu_', 'flr_'), read.replace('flr_', 'flu_')]) {
    expect(await findTokenAccess(text, store, clock)).toBe(undefined);
  }
  for (const text of [read, read.replace('flr_', 'flu_'), upload.replace('flu_', 'flr_')]) {
    expect(await findUploadApp(text, store, clock)).toBe(undefined);
  }
  expect(JSON.stringify(await store.db.selectFrom('api_token').selectAll().execute())).not.toContain(upload.slice(13));
  for (const apps of [undefined, [], ['shop', 'blog']]) {
    const asked = { ...plain, allows: 'upload', apps } as const;
    expect(await makeToken(store, asked, clock)).toEqual({ type: 'refused', problem: 'apps' });
  }
  await revokeToken(store, upload.slice(4, 12));
  expect(await findUploadApp(upload, store, clock)).toBe(undefined);
});

it('opens nothing with another secret, another name, or the hash', async () => {
  const [one, other] = [await make(), await make()];
  const { hash } = await store.db.selectFrom('api_token').select('hash').limit(1).executeTakeFirstOrThrow();
  const wrong = [
    one.slice(0, 13) + other.slice(13),
    `${one}x`,
    one.slice(0, -1),
    one.toUpperCase(),
    '',
    hash,
    `flr_${hash}`,
  ];
  for (const text of wrong) expect(await findTokenAccess(text, store, clock), text).toBe(undefined);
});

it('ends at its time, and one without an end does not', async () => {
  const [short, endless] = [await make({ days: 1 }), await make({ days: undefined })];
  now += day - 1;
  expect(await findTokenAccess(short, store, clock)).toBeDefined();
  now += 1;
  expect(await findTokenAccess(short, store, clock)).toBe(undefined);
  now += 10_000 * day;
  expect(await findTokenAccess(endless, store, clock)).toBeDefined();
});

it('is worth nothing after it was revoked', async () => {
  const token = await make();
  expect(await revokeToken(store, token.slice(4, 12))).toBe(true);
  expect(await findTokenAccess(token, store, clock)).toBe(undefined);
  expect(await revokeToken(store, token.slice(4, 12))).toBe(false);
});

it('is worth nothing after all were revoked', async () => {
  const [one, two] = [await make(), await make()];
  expect(await revokeAllTokens(store)).toBe(2);
  for (const token of [one, two]) expect(await findTokenAccess(token, store, clock)).toBe(undefined);
  expect(await revokeAllTokens(store)).toBe(0);
});

it('says when it was used, written once a minute, and also after the clock was set back', async () => {
  const token = await make();
  async function useAt(time: number): Promise<number | undefined> {
    now = time;
    await findTokenAccess(token, store, clock);
    return (await readTokens(store))[0]?.lastUsed;
  }
  const start = now;
  expect((await readTokens(store))[0]?.lastUsed).toBe(undefined);
  expect(await useAt(start)).toBe(start);
  expect(await useAt(start + minute - 1)).toBe(start);
  expect(await useAt(start + minute)).toBe(start + minute);
  expect(await useAt(start - day)).toBe(start - day);
});

it.each([
  ['name', { name: '  ' }],
  ['name', { name: 'x'.repeat(81) }],
  ['days', { days: 0 }],
  ['days', { days: 1.5 }],
  ['days', { days: 3651 }],
  ['days', { days: Number.NaN }],
  ['apps', { apps: [] }],
] as const)('is not made with a wrong %s', async (problem, asked) => {
  expect(await makeToken(store, { ...plain, ...asked }, clock)).toEqual({ type: 'refused', problem });
  expect(await readTokens(store)).toEqual([]);
});

it('is made once by a form that is sent again', async () => {
  const asked = { ...plain, id: mintTokenId() };
  expect(await makeToken(store, asked, clock)).toMatchObject({ type: 'made', token: { id: asked.id } });
  expect(await makeToken(store, asked, clock)).toEqual({ type: 'refused', problem: 'made-before' });
  expect(await makeToken(store, { ...plain, id: "x' or" }, clock)).toMatchObject({ type: 'made' });
  expect(await readTokens(store)).toHaveLength(2);
});

it('has a limit to how many there are', async () => {
  for (let made = 0; made < tokensLimit; made += 1) await make();
  expect(await makeToken(store, plain, clock)).toEqual({ type: 'refused', problem: 'too-many' });
});

it('opens no app where its list cannot be read', async () => {
  const token = await make({ apps: ['shop'] });
  await store.db.updateTable('api_token').set({ apps_json: '"shop"' }).execute();
  expect(await findTokenAccess(token, store, clock)).toMatchObject({ apps: [] });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { databaseOf } from '../../../e2e/testing/postgres/databases.ts';
import { createDeliverer } from '#src/faults/alerts/send-deliveries.ts';
import { addApp, findApp, readApps } from '#src/apps/apps.ts';
import { deleteApp } from '#src/apps/delete-app.ts';
import { listDeletions } from '#src/apps/deletions.ts';
import { startDeletions } from '#src/apps/start-deletions.ts';
import { createLoginLimits } from '#src/access/login-limits.ts';
import { mintSecret } from '#src/access/secret.ts';
import { createSessions } from '#src/access/sessions.ts';
import { toUserKey, shareUserKey } from '#src/faults/event/user-key.ts';

import { openAgeClock } from '../age-clock.ts';
import { readInstances, startInstance, type InstanceState } from '../instances.ts';
import { publishNotification, subscribeNotifications } from '../notifications.ts';
import { openStore, type Store } from '../open-store.ts';
import { addOthers } from '../other-counts.ts';
import { shareStore } from '../share-store.ts';
import { versionAfter } from '../migrations.ts';
import { migrate, steps } from './migrate.ts';
import { openListener } from './open-listener.ts';
import { openPostgresStore } from './open-postgres-store.ts';

/** Two servers on one database, in one process: `a` is the one that `openStore` gives. */
let folder: string;
let url: string;
let a: Store;
let b: Store;
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  folder = mkdtempSync(path.join(tmpdir(), 'flight-two-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  url = await databaseOf(folder);
  [a, b] = [await openStore(), await openPostgresStore(url)];
  stops = [shareStore(a, openListener(url), 'a'), shareStore(b, openListener(url), 'b')];
});

afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  await a.close();
  await b.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const from = { openedBy: 'password', userAgent: 'Firefox', address: '192.0.2.7' } as const;

async function openSession(sessions: ReturnType<typeof createSessions>): Promise<string> {
  const opened = await sessions.open(from, [], async () => undefined);
  if ('problem' in opened) throw new Error('refused');
  return opened.secret;
}

it('finds a session at once that another server has opened, and forgets one that another has ended', async () => {
  const [ofA, ofB] = [createSessions(a), createSessions(b, undefined, () => b.dataVersion())];
  // As if no notification had arrived yet.
  const version = vi.spyOn(b, 'dataVersion').mockReturnValue(0);
  expect(await ofB.list()).toEqual([]);
  const secret = await openSession(ofA);
  const found = await ofB.find(secret);
  expect(found?.userAgent).toBe('Firefox');
  version.mockRestore();
  await ofA.revoke([found?.id ?? '']);
  const revoked = performance.now();
  await vi.waitFor(async () => expect(await ofB.find(secret)).toBeUndefined(), { interval: 5 });
  expect(performance.now() - revoked).toBeLessThan(1_500);
});

it('does not end a session as idle that another server sees', async () => {
  let steady = 1_000_000;
  const clocks = { wall: () => Date.UTC(2026, 10, 22) + steady, steady: () => steady };
  const [ofA, ofB] = [createSessions(a, clocks), createSessions(b, clocks)];
  const secret = await openSession(ofA);
  expect(await ofB.find(secret)).toBeDefined();
  const hour = 3_600_000;
  for (let hours = 0; hours < 14; hours += 1) {
    steady += hour;
    expect(await ofA.find(secret)).toBeDefined();
  }
  await vi.waitFor(async () => {
    const [row] = await b.db.selectFrom('session').select('last_seen').execute();
    expect(row?.last_seen).toBe(clocks.wall());
  });
  expect(await ofB.find(secret)).toBeDefined();
  steady += 13 * hour;
  expect(await ofB.find(secret)).toBeUndefined();
});

it('believes for a minute what it knew of sessions when the database stops to answer, and not longer', async () => {
  let steady = 0;
  const ofB = createSessions(b, { wall: Date.now, steady: () => steady }, () => Math.random());
  const secret = await openSession(ofB);
  expect(await ofB.find(secret)).toBeDefined();
  await sql`alter table session rename to session_away`.execute(a.db);
  try {
    // However long nothing was new before.
    steady += 120_000;
    expect(await ofB.find(secret)).toBeDefined();
    // Of whom it does not know it cannot say that they are not signed in.
    await expect(ofB.find(mintSecret())).rejects.toThrow('session');
    steady += 59_000;
    expect(await ofB.find(secret)).toBeDefined();
    steady += 2_000;
    await expect(ofB.find(secret)).rejects.toThrow('session');
  } finally {
    await sql`alter table session_away rename to session`.execute(a.db);
  }
  expect(await ofB.find(secret)).toBeDefined();
  expect(await ofB.find(mintSecret())).toBeUndefined();
});

it('tells other servers what was published, and knows an app at once that another has added', async () => {
  const heard: string[] = [];
  const stop = subscribeNotifications(b, 'flights', (text) => heard.push(text));
  // The first look: what came before it is not known.
  await vi.waitFor(() => expect(heard).toEqual(['']), { timeout: 10_000 });
  publishNotification(a, 'flights', '42');
  await vi.waitFor(() => expect(heard).toEqual(['', '42']), { timeout: 10_000 });
  publishNotification(a, 'flights', 'x'.repeat(3_000));
  await vi.waitFor(() => expect(heard).toEqual(['', '42', '']), { timeout: 10_000 });
  stop();
  vi.spyOn(b, 'dataVersion').mockReturnValue(0);
  expect(await readApps(b)).toEqual([]);
  const keys = { public_key: 'p', secret_key: 's', record: null };
  await a.db
    .insertInto('app')
    .values({ id: 'shop', name: 'Shop', created: 1, number: 2, ...keys })
    .execute();
  expect(await findApp('shop', b)).toMatchObject({ name: 'Shop' });
});

it('counts attempts to sign in at two servers together, for each network, and says how long to wait', async () => {
  const [ofA, ofB] = [createLoginLimits(), createLoginLimits()];
  const address = '192.0.2.9';
  const waits: number[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) waits.push(await ofA.password(address), await ofB.password(address));
  expect(waits).toEqual(Array<number>(10).fill(0));
  const wait = await ofB.password(address);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(6);
  expect(await ofB.password('198.51.100.1')).toBe(0);
  expect(await ofA['login-link'](address)).toBe(0);
  // The full buckets say nothing any more.
  await a.db.updateTable('login_try').set({ free_at: 0 }).execute();
  expect(await ofB.password(address)).toBe(0);
});

async function startReceiver(): Promise<{ readonly server: Server; readonly target: string; readonly ids: string[] }> {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    ids.push(String(request.headers['x-flight-delivery']));
    request.resume();
    setTimeout(() => response.end(), 150);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return { server, ids, target: `http://127.0.0.1:${address.port}/` };
}

it('sends an alert once when two servers find it due, and again when its sender died', async () => {
  const { server, ids, target } = await startReceiver();
  const rules = { new: true, back: true, volume: null, slow: null, apps: null, untrusted: false, inside: true };
  await a.db
    .insertInto('alert_channel')
    .values({
      id: 'c',
      name: 'c',
      kind: 'webhook',
      target,
      secret: null,
      rules_json: JSON.stringify(rules),
      created: 1,
      paused: null,
    })
    .execute();
  const content = { type: 'test', time: 1 };
  await a.db
    .insertInto('alert_delivery')
    .values({
      id: 'd',
      channel: 'c',
      app: '',
      fault: '',
      content_json: JSON.stringify(content),
      created: 1,
      state: 'waiting',
      next_time: 1,
      last_time: null,
    })
    .execute();
  const senders = [createDeliverer(a), createDeliverer(b)];
  // In one process a set knows what is under way; the claim alone is what two processes have.
  await senders[0]?.sendDue(Date.now());
  await vi.waitFor(async () => {
    const row = await b.db.selectFrom('alert_delivery').select('next_time').executeTakeFirstOrThrow();
    expect(row.next_time).toBeGreaterThan(Date.now() + 60_000);
  });
  await senders[1]?.sendDue(Date.now());
  await Promise.all(senders.map((sender) => sender.settle()));
  expect(ids).toEqual(['d']);
  const sent = await b.db.selectFrom('alert_delivery').select('state').executeTakeFirstOrThrow();
  expect(sent.state).toBe('sent');
  // A sender that died leaves a claim. When it is over, the message is due.
  await a.db
    .updateTable('alert_delivery')
    .set({ state: 'waiting', next_time: Date.now() - 1 })
    .execute();
  await senders[1]?.sendDue(Date.now());
  await senders[1]?.settle();
  expect(ids).toEqual(['d', 'd']);
  await Promise.all(senders.map((sender) => sender.stop()));
  server.close();
});

it('deletes an app on the server that holds the lease, whoever was asked, and lets nobody add it meanwhile', async () => {
  await addApp('Shop', 'shop');
  const release = Promise.withResolvers<void>();
  const deleted: string[] = [];
  const stop = startDeletions(
    b,
    async () => ['left-over'],
    async (app, onProgress) => {
      onProgress(7);
      if (app === 'shop') await release.promise;
      deleted.push(app);
    },
  );
  await vi.waitFor(() => expect(deleted).toEqual(['left-over']));
  expect(await deleteApp('shop', () => Promise.reject(new Error('not here')))).toBe(true);
  await vi.waitFor(async () => expect(await listDeletions(a)).toMatchObject([{ app: 'shop', flightsLeft: 7 }]));
  expect(await addApp('Shop', 'shop', a)).toEqual({ type: 'refused', reason: 'being-deleted' });
  release.resolve();
  await vi.waitFor(async () => expect(await listDeletions(a)).toEqual([]));
  expect((await addApp('Shop', 'shop', a)).type).toBe('added');
  await stop();
});

it('ends a deletion when the server stops, without waiting for all of it, and the next one goes on', async () => {
  await addApp('Shop', 'shop');
  await deleteApp('shop', () => Promise.reject(new Error('not here')));
  const began = Promise.withResolvers<void>();
  const stopFirst = startDeletions(
    b,
    async () => [],
    async (_, onProgress, signal) => {
      onProgress(100_000);
      began.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
    },
  );
  await began.promise;
  await stopFirst();
  expect(await listDeletions(a)).toMatchObject([{ app: 'shop', problem: undefined }]);
  const deleted: string[] = [];
  const stopSecond = startDeletions(
    a,
    async () => [],
    async (app) => void deleted.push(app),
  );
  await vi.waitFor(async () => expect(await listDeletions(b)).toEqual([]));
  expect(deleted).toEqual(['shop']);
  await stopSecond();
});

it('tries a deletion again that failed while the database was away, on the same server', async () => {
  await addApp('Shop', 'shop');
  await deleteApp('shop', () => Promise.reject(new Error('not here')));
  const listRecorded = vi.fn<() => Promise<string[]>>(async () => []);
  listRecorded.mockRejectedValueOnce(new Error('away'));
  const deleteFlights = vi.fn(async () => {});
  deleteFlights.mockRejectedValueOnce(new Error('away'));
  const stop = startDeletions(b, listRecorded, deleteFlights, 20);
  await vi.waitFor(async () => expect(await listDeletions(a)).toEqual([]));
  expect([listRecorded.mock.calls.length, deleteFlights.mock.calls.length]).toEqual([2, 2]);
  await stop();
});

const state: InstanceState = {
  load: 'calm',
  delayMs: 1,
  memoryBytes: 2,
  address: '127.0.0.1:4000',
  leases: ['alerts'],
  counts: {
    requests: 1,
    errors: 2,
    flights: 3,
    unstored: 4,
    'dropped-memory': 5,
    'dropped-disk': 0,
    'dropped-thread': 0,
    'dropped-unreadable': 0,
    'dropped-usage': 0,
    'dropped-database': 0,
  },
};

it('lists the servers, adds up what the others counted, and tells who stopped from who is gone', async () => {
  const live: number[] = [];
  function introduce(id: string) {
    return {
      id,
      readOrigin: () => `http://${id}`,
      version: '1',
      build: id,
      readState: () => state,
      onLive: (n: number) => void live.push(n),
    };
  }
  const stopA = startInstance(a, introduce('a'), 20);
  const stopB = startInstance(b, introduce('b'), 20);
  await vi.waitFor(() => expect(live.slice(-2)).toEqual([2, 2]));
  expect(await readInstances(a)).toMatchObject([
    { presence: 'here', state },
    { presence: 'here', state },
  ]);
  expect(addOthers('unstored', 10)).toBe(14);
  await stopB();
  const stopped = (await readInstances(a)).find(({ id }) => id === 'b');
  expect(stopped?.presence).toBe('stopped');
  await stopA();
  await sql`update instance set stopped = null, seen = seen - 16000 where id = 'a'`.execute(a.db);
  expect((await readInstances(b)).find(({ id }) => id === 'a')?.presence).toBe('gone');
  await sql`update instance set seen = seen - 600000`.execute(a.db);
  const stopC = startInstance(a, introduce('c'), 20);
  await vi.waitFor(async () => expect((await readInstances(a)).map(({ id }) => id)).toEqual(['c']));
  await stopC();
});

it('goes on while a newer build adds to the schema, and an older one does not start again', async () => {
  const newer = {
    name: 'more',
    up: async (db: Store['db']) => void (await sql`alter table app add column more text`.execute(db)),
  };
  const newest = versionAfter(steps) + 1;
  await migrate(b.db, [...steps, newer]);
  try {
    expect(
      await a.commit(
        async (trx) => void (await trx.insertInto('scrub_key').values({ name: 'k', created: 1 }).execute()),
      ),
    ).toBe('committed');
    expect((await addApp('Shop', 'shop', a)).type).toBe('added');
    expect(await readApps(a)).toMatchObject([{ id: 'shop' }]);
    await expect(openPostgresStore(url)).rejects.toThrow(
      `The database has schema version ${newest}, this build knows up to ${versionAfter(steps)}`,
    );
  } finally {
    await sql`alter table app drop column more`.execute(b.db);
    await sql`update schema_version set version = ${versionAfter(steps)}::bigint`.execute(b.db);
  }
});

it('agrees on ages and on users', async () => {
  const wrong = { wall: () => Date.now() + 100 * 86_400_000, steady: () => performance.now() };
  const ofA = await openAgeClock(a, folder, wrong);
  // The database's clock counts, not this machine's.
  expect(Math.abs(ofA().now - Date.now())).toBeLessThan(5_000);
  await vi.waitFor(async () => {
    const saved = await b.db.selectFrom('shared_value').select('value').where('name', '=', 'age').executeTakeFirst();
    expect(saved?.value).toContain('"time"');
  });
  await a.db.updateTable('shared_value').set({ value: '{"time":5000}' }).where('name', '=', 'age').execute();
  const ofB = await openAgeClock(b, folder);
  expect(ofB().now).toBeLessThan(100_000);
  await shareUserKey(a);
  const key = toUserKey('shop', 'ada');
  await shareUserKey(b);
  expect(toUserKey('shop', 'ada')).toBe(key);
  expect(key).toMatch(/^[0-9a-f]{16}$/);
});

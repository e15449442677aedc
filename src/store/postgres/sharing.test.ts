import { setTimeout as sleep } from 'node:timers/promises';

import { Kysely, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { startPostgres } from '../../../scripts/start-postgres.mjs';
import type { LeaseName } from '../lease.ts';
import type { NotificationTopic } from '../notifications.ts';
import type { Tables } from '../schema.ts';
import { followNotifications, type NotificationFollower, type OpenConnection } from './follow-notifications.ts';
import { keepLeases, type Leases } from './keep-leases.ts';
import { migrate } from './migrate.ts';
import { openListener } from './open-listener.ts';
import { openPool } from './open-pool.ts';
import { postgresDialect } from './postgres-dialect.ts';

/** Two servers on one database, as far as notification and leases go. */
let url: string;
let stopPostgres: () => Promise<void>;
let db: Kysely<Tables>;
const followers: NotificationFollower[] = [];
const keepers: Leases[] = [];

beforeAll(async () => {
  const postgres = await startPostgres();
  url = postgres.url;
  stopPostgres = () => postgres.stop();
  db = new Kysely<Tables>({ dialect: postgresDialect(openPool(url)) });
  await migrate(db);
}, 60_000);

afterAll(async () => {
  await db.destroy();
  await stopPostgres();
});

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(async () => {
  await Promise.all(keepers.splice(0).map((one) => one.stop()));
  await Promise.all(followers.splice(0).map((one) => one.stop()));
  vi.restoreAllMocks();
});

type Heard = { readonly topic: NotificationTopic; readonly text: string };

/** A pooler in transaction mode: LISTEN is answered, and nothing is heard. */
const openDeaf: OpenConnection = async () => ({ close: async () => undefined });

function follow(sender: string, open: OpenConnection, everyMs: number) {
  const heard: Heard[] = [];
  const all = vi.fn<() => void>();
  const follower = followNotifications({
    db,
    open,
    sender,
    hear: (topic, text) => heard.push({ topic, text }),
    hearAll: all,
    steady: () => performance.now(),
    everyMs,
  });
  followers.push(follower);
  return { follower, heard, all };
}

const never = 3_600_000;

async function listening(): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where query like 'listen%'`.execute(db);
    expect(rows.length).toBeGreaterThan(0);
  });
}

describe('notification', () => {
  it('are heard by others and not by their sender, once, with their text', async () => {
    const a = follow('a', openListener(url), 50);
    const b = follow('b', openListener(url), 50);
    await listening();
    a.follower.send('flights', '17|18');
    await vi.waitFor(() => expect(b.heard).toEqual([{ topic: 'flights', text: '17|18' }]));
    // Several looks later it is still the only one.
    await a.follower.look();
    await b.follower.look();
    await b.follower.look();
    expect(b.heard).toHaveLength(1);
    expect(a.heard).toEqual([]);
  });

  it('come by notification alone when nobody looks', async () => {
    const b = follow('b', openListener(url), never);
    const a = follow('a', openDeaf, never);
    await listening();
    a.follower.send('leases', '');
    await vi.waitFor(() => expect(b.heard).toEqual([{ topic: 'leases', text: '' }]));
  });

  it('are listened to again when that failed on a connection that lives', async () => {
    // Without a name it is no statement.
    await expect(openListener(url)('', vi.fn(), vi.fn())).rejects.toThrow('zero-length');
    const channels = ['', ''];
    const b = follow('b', (name, ...more) => openListener(url)(channels.pop() ?? name, ...more), 20);
    const a = follow('a', openDeaf, never);
    await listening();
    a.follower.send('leases', '');
    await vi.waitFor(() => expect(b.heard).toEqual([{ topic: 'leases', text: '' }]));
    // The process of a connection that was ended goes a little later.
    await vi.waitFor(async () => {
      const { rows } = await sql`select 1 from pg_stat_activity where application_name like '%notification'`.execute(
        db,
      );
      expect(rows).toHaveLength(1);
    });
  });

  it('come by looking where no notification does, and the log says so', async () => {
    const a = follow('a', openDeaf, never);
    const b = follow('b', openDeaf, 20);
    await vi.waitFor(() => expect(b.follower.confirmedAt()).toBeGreaterThan(0));
    for (const text of ['1', '2', '3', '4']) {
      a.follower.send('flights', text);
      await vi.waitFor(() => expect(b.heard.at(-1)).toEqual({ topic: 'flights', text }));
    }
    await vi.waitFor(() =>
      expect(vi.mocked(process.stderr.write).mock.calls.join()).toContain('"notifications-polled"'),
    );
  });

  it('of a transaction that began earlier and committed later are not missed', async () => {
    const b = follow('b', openDeaf, never);
    await b.follower.look();
    const pool = openPool(url, { most: 1 });
    const slow = await pool.connect();
    await slow.query("begin; insert into notification (topic, sender) values ('apps', 'slow')");
    // A later transaction commits first, and has the higher number.
    await sql`insert into notification (topic, sender) values ('leases', 'quick')`.execute(db);
    await b.follower.look();
    expect(b.heard.map(({ topic }) => topic)).toEqual(['leases']);
    await slow.query('commit');
    slow.release();
    await pool.end();
    await b.follower.look();
    await b.follower.look();
    expect(b.heard.map(({ topic }) => topic)).toEqual(['leases', 'apps']);
  });

  it('are told by the database when rows change that servers keep in memory', async () => {
    const b = follow('b', openDeaf, never);
    await b.follower.look();
    await sql`insert into session (id, created, last_seen, expires, opened_by, user_agent, address)
      values ('s', 0, 0, 0, 'password', '', '')`.execute(db);
    await b.follower.look();
    await sql`update session set last_seen = 1`.execute(db);
    await sql`insert into scrub_key (name, created) values ('k', 0)`.execute(db);
    await sql`update app set name = 'x'`.execute(db);
    await b.follower.look();
    await sql`delete from session`.execute(db);
    await b.follower.look();
    expect(b.heard.map(({ topic }) => topic)).toEqual(['sessions', 'scrub-keys', 'apps', 'sessions']);
  });

  it('go on after the connection was ended by the server', async () => {
    const b = follow('b', openListener(url), 100);
    await listening();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%notification'`.execute(
      db,
    );
    await listening();
    const a = follow('a', openDeaf, never);
    a.follower.send('apps', 'again');
    await vi.waitFor(() => expect(b.heard).toEqual([{ topic: 'apps', text: 'again' }]));
  });

  it('are all heard at once when another database stands behind the address', async () => {
    const fresh = await startPostgres();
    const pools = [openPool(url), openPool(fresh.url)];
    let [current] = pools;
    const connect = async () => (current ?? openPool(url)).connect();
    const moving = new Kysely<Tables>({
      dialect: postgresDialect({ connect, avoidHost() {}, end: async () => undefined }),
    });
    const all = vi.fn<() => void>();
    const follower = followNotifications({
      db: moving,
      open: openDeaf,
      sender: 'm',
      hear() {},
      hearAll: all,
      steady: () => performance.now(),
      everyMs: never,
    });
    try {
      await follower.look();
      // The numbers of the old one are higher.
      for (let more = 0; more < 50; more += 1) await sql`select pg_current_xact_id()`.execute(moving);
      await follower.look();
      // At the start nothing is known.
      expect(all).toHaveBeenCalledOnce();
      current = pools[1];
      await migrate(moving);
      await follower.look();
      expect(all).toHaveBeenCalledTimes(2);
      await follower.look();
      expect(all).toHaveBeenCalledTimes(2);
      // Where the numbers are higher, some may have been given to something else than before.
      current = pools[0];
      await follower.look();
      expect(all).toHaveBeenCalledTimes(3);
    } finally {
      await follower.stop();
      await Promise.all(pools.map((pool) => pool.end()));
      await fresh.stop();
    }
  }, 60_000);
});

const termMs = 300;

function keep(holder: string) {
  const leases = keepLeases({ db, holder, steady: () => performance.now(), termMs });
  keepers.push(leases);
  return leases;
}

/** Work that says who does it. */
function count(leases: Leases, name: LeaseName, running: Set<string>, who: string) {
  return leases.keep(name, () => {
    running.add(who);
    return () => void running.delete(who);
  });
}

describe('leases', () => {
  it('are held by one, and by the other one after they were given back', async () => {
    const running = new Set<string>();
    const [a, b] = [keep('a'), keep('b')];
    const stopA = count(a, 'alerts', running, 'a');
    await a.tryNow();
    count(b, 'alerts', running, 'b');
    await b.tryNow();
    expect([...running]).toEqual(['a']);
    await sleep(termMs * 2);
    expect([...running]).toEqual(['a']);
    await stopA();
    expect([...running]).toEqual([]);
    await b.tryNow();
    expect([...running]).toEqual(['b']);
  });

  it('are taken over after the term when their holder is gone, and never before', async () => {
    const running = new Set<string>();
    await sql`delete from lease`.execute(db);
    await sql`insert into lease (name, holder, until)
      values ('alerts', 'gone', (extract(epoch from clock_timestamp()) * 1000)::bigint + ${termMs})`.execute(db);
    const began = performance.now();
    count(keep('b'), 'alerts', running, 'b');
    await vi.waitFor(() => expect([...running]).toEqual(['b']), { interval: 10 });
    expect(performance.now() - began).toBeGreaterThanOrEqual(termMs - 10);
  });

  it('end before their term when they cannot be renewed, and begin again', async () => {
    const running = new Set<string>();
    const a = keep('a');
    count(a, 'retention', running, 'a');
    await a.tryNow();
    const asked = performance.now();
    await sql`alter table lease rename to lease_away`.execute(db);
    await vi.waitFor(() => expect(running.size).toBe(0), { interval: 5 });
    expect(performance.now() - asked).toBeLessThan(termMs);
    await sql`alter table lease_away rename to lease`.execute(db);
    await vi.waitFor(() => expect([...running]).toEqual(['a']));
  });

  it('are over for a process that was paused, before it asks anybody', async () => {
    const held: boolean[] = [];
    const leases = keep('p');
    let isHeld = () => false;
    leases.keep('indexing', (ask) => {
      isHeld = ask;
      return () => void held.push(ask());
    });
    await leases.tryNow();
    expect(isHeld()).toBe(true);
    const until = performance.now() + termMs;
    while (performance.now() < until);
    expect(isHeld()).toBe(false);
    await vi.waitFor(() => expect(held).toEqual([false]));
  });

  it('wait for the end of the work before another server may begin', async () => {
    const running = new Set<string>();
    const [a, b] = [keep('a'), keep('b')];
    const finish = Promise.withResolvers<void>();
    const stopA = a.keep('deletions', () => {
      running.add('a');
      return async () => {
        await finish.promise;
        running.delete('a');
      };
    });
    await a.tryNow();
    count(b, 'deletions', running, 'b');
    const stopped = stopA();
    await b.tryNow();
    expect([...running]).toEqual(['a']);
    finish.resolve();
    await stopped;
    await b.tryNow();
    expect([...running]).toEqual(['b']);
  });
});

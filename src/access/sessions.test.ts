import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { openStore, type Store } from '#src/store/open-store.ts';

import { hashSecret, mintSecret } from './secret.ts';
import { createSessions, type Sessions } from './sessions.ts';

vi.mock(import('./secret.ts'), { spy: true });

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

let folder: string;
let store: Store;
let wall: number;
let steady: number;
const clocks = { wall: () => wall, steady: () => steady };
let sessions: Sessions;

function pass(ms: number): void {
  wall += ms;
  steady += ms;
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-sessions-'));
  store = await openStore(folder);
  wall = Date.UTC(2026, 10, 21);
  steady = 5 * day;
  sessions = createSessions(store, clocks);
});

afterEach(async () => {
  // Waits for what sessions write in the background: there is only one connection.
  await store.db.selectFrom('session').select('id').execute();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function open(from: { userAgent?: string; replaced?: readonly string[] } = {}): Promise<string> {
  const { userAgent = 'Firefox', replaced = [] } = from;
  const outcome = await sessions.open(
    { openedBy: 'password', userAgent, address: '192.0.2.7' },
    replaced,
    async () => undefined,
  );
  if ('problem' in outcome) throw new Error('refused');
  return outcome.secret;
}

/** Changes the database as another process would: through its own connection. */
function change(sql: string): void {
  const other = new DatabaseSync(path.join(folder, 'flight.db'), { timeout: 1000 });
  other.exec(sql);
  other.close();
}

/** Creates the sessions again, as a process that starts on the same database. */
function restart(): void {
  sessions = createSessions(store, clocks);
}

describe('a session', () => {
  it('is found by its secret alone, which is nowhere in the database', async () => {
    const secret = await open();
    expect(await sessions.find(secret)).toMatchObject({
      id: hashSecret(secret),
      openedBy: 'password',
      userAgent: 'Firefox',
      address: '192.0.2.7',
      created: wall,
      expires: wall + 14 * day,
    });
    const rows = await store.db.selectFrom('session').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
    for (const wrong of ['', mintSecret(), hashSecret(secret), `${secret}=`, secret.slice(1), `${secret} `]) {
      expect(await sessions.find(wrong)).toBeUndefined();
    }
  });

  it('ends after 12 hours without a request, and lives on with one', async () => {
    const idle = await open();
    const busy = await open();
    pass(11 * hour);
    expect(await sessions.find(busy)).toBeDefined();
    pass(hour);
    expect(await sessions.find(idle)).toBeUndefined();
    expect(await sessions.find(busy)).toBeDefined();
  });

  it('ends after 14 days, however busy', async () => {
    const secret = await open();
    for (let passed = 0; passed < 14 * 24 - 6; passed += 6) {
      pass(6 * hour);
      expect(await sessions.find(secret)).toBeDefined();
    }
    pass(6 * hour);
    expect(await sessions.find(secret)).toBeUndefined();
  });

  it('ends on the same days when the server is started anew in between', async () => {
    const secret = await open();
    pass(11 * hour);
    restart();
    expect(await sessions.find(secret)).toBeDefined();
    pass(11 * hour);
    restart();
    pass(hour);
    expect(await sessions.find(secret)).toBeUndefined();
  });

  it.each([-year, -day, -hour, hour, day, year])('is not moved by a clock that is set by %i ms', async (jump) => {
    const secret = await open();
    pass(10 * hour);
    expect(await sessions.find(secret)).toBeDefined();
    wall += jump;
    pass(11 * hour);
    expect(await sessions.find(secret)).toBeDefined();
    // A write of another process makes the rows be read again, and their times are those of the old clock.
    change("insert into login_link values ('x', 1, 1, null)");
    expect(await sessions.find(secret)).toBeDefined();
    wall -= jump;
    pass(12 * hour);
    expect(await sessions.find(secret)).toBeUndefined();
  });

  it('gets no more than a whole term from a clock that is years behind at the start', async () => {
    const seen = await open();
    const idle = await open();
    wall -= 3 * year;
    restart();
    // The first request reads the sessions, whoever sent it.
    await sessions.list();
    pass(11 * hour);
    expect(await sessions.find(seen)).toBeDefined();
    pass(hour);
    expect(await sessions.find(idle)).toBeUndefined();
    for (let passed = 12; passed < 14 * 24 - 6; passed += 6) {
      expect(await sessions.find(seen)).toBeDefined();
      pass(6 * hour);
    }
    pass(6 * hour);
    expect(await sessions.find(seen)).toBeUndefined();
  });

  it('that is over is out of the database, so that setting the clock back does not revive it', async () => {
    const secret = await open();
    pass(13 * hour);
    expect(await sessions.find(secret)).toBeUndefined();
    await vi.waitFor(async () => expect(await store.db.selectFrom('session').selectAll().execute()).toHaveLength(0));
    wall -= 13 * hour;
    restart();
    expect(await sessions.find(secret)).toBeUndefined();
  });

  it('writes when it was seen, at most once a minute', async () => {
    const secret = await open();
    const opened = wall;
    async function lastSeen(): Promise<number | undefined> {
      return (await store.db.selectFrom('session').select('last_seen').executeTakeFirst())?.last_seen;
    }
    pass(59_000);
    await sessions.find(secret);
    expect(await lastSeen()).toBe(opened);
    pass(1000);
    await sessions.find(secret);
    expect(await lastSeen()).toBe(opened + minute);
  });

  it('keeps bounded words of the browser', async () => {
    await open({ userAgent: 'x'.repeat(5000) });
    const [session] = await sessions.list();
    expect(session?.userAgent).toHaveLength(300);
  });
});

describe('opening', () => {
  it('opens nothing when it is not permitted', async () => {
    const from = { openedBy: 'password', userAgent: '', address: '' } as const;
    expect(await sessions.open(from, [], async () => 'wrong-password')).toEqual({ problem: 'wrong-password' });
    expect(await sessions.list()).toEqual([]);
  });

  it('takes another secret each time and ends the session that the browser had', async () => {
    const before = await open();
    const other = await open();
    const after = await open({ replaced: [before, 'no secret at all'] });
    expect(after).not.toBe(before);
    expect(await sessions.find(before)).toBeUndefined();
    expect(await sessions.find(other)).toBeDefined();
    expect(await sessions.find(after)).toBeDefined();
  });

  it('never opens the one whose secret the browser brought along', async () => {
    const planted = mintSecret();
    const given = await open({ replaced: [planted] });
    expect(given).not.toBe(planted);
    expect(await sessions.find(planted)).toBeUndefined();
  });

  it('keeps 50, the last seen ones', async () => {
    const first = await open();
    pass(minute);
    const second = await open();
    for (let count = 2; count < 51; count += 1) {
      pass(1000);
      await open();
    }
    expect(await sessions.list()).toHaveLength(50);
    expect(await sessions.find(first)).toBeUndefined();
    expect(await sessions.find(second)).toBeDefined();
  });
});

describe('revoking', () => {
  it('ends one session and leaves the others', async () => {
    const gone = await open();
    const kept = await open();
    expect(await sessions.revoke([hashSecret(gone)])).toBe(1);
    expect(await sessions.find(gone)).toBeUndefined();
    expect(await sessions.find(kept)).toBeDefined();
    expect(await sessions.revoke([hashSecret(gone)])).toBe(0);
  });

  it('by another process counts at the next look-up', async () => {
    const secret = await open();
    expect(await sessions.find(secret)).toBeDefined();
    change('delete from session');
    expect(await sessions.find(secret)).toBeUndefined();
  });

  it('is not undone by rows that were read just before', async () => {
    const secret = await open();
    const read = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const db = new Proxy(store.db, {
      get(target, name) {
        if (name !== 'selectFrom') return Reflect.get(target, name).bind(target);
        return () => ({
          selectAll: () => ({
            async execute() {
              const rows = await target.selectFrom('session').selectAll().execute();
              read.resolve();
              await goOn.promise;
              return rows;
            },
          }),
        });
      },
    });
    sessions = createSessions({ ...store, db }, clocks);
    const looking = sessions.find(secret);
    await read.promise;
    await sessions.revoke([hashSecret(secret)]);
    goOn.resolve();
    expect(await looking).toBeUndefined();
    expect(await sessions.find(secret)).toBeUndefined();
  });

  it.each([
    ['here', (secret: string) => sessions.revoke([hashSecret(secret)])],
    ['of all', () => sessions.revokeAll()],
    ['by signing in anew', (secret: string) => open({ replaced: [secret] })],
    ['by another process', async () => change('delete from session')],
  ])('%s leaves nothing of a secret that was looked up', async (_how, revoke) => {
    const secret = await open();
    vi.mocked(hashSecret).mockClear();
    expect(await sessions.find(secret)).toBeDefined();
    expect(await sessions.find(secret)).toBeDefined();
    expect(hashSecret).toHaveBeenCalledTimes(1);
    await revoke(secret);
    vi.mocked(hashSecret).mockClear();
    expect(await sessions.find(secret)).toBeUndefined();
    expect(await sessions.find(secret)).toBeUndefined();
    expect(hashSecret).toHaveBeenCalledTimes(2);
  });

  it('of all of them takes what else has to happen into the same transaction', async () => {
    const secret = await open();
    await expect(
      sessions.revokeAll(async () => {
        throw new Error('no room');
      }),
    ).rejects.toThrow('no room');
    expect(await sessions.find(secret)).toBeDefined();
    expect(await sessions.revokeAll()).toBe(1);
    expect(await sessions.find(secret)).toBeUndefined();
  });
});

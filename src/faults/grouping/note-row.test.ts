import { describe, expect, it } from 'vitest';

import { groupingAlgorithm } from '#src/runtime/errors/fingerprint.ts';
import { openStore } from '#src/store/open-store.ts';

import { hourMs } from './hours.ts';
import { readFaultRow, readActivityTypes, storeError, storeUntrusted, useStore } from './testing/use-store.ts';

useStore();

const masked =
  'An error occurred in the Server Components render. The specific message is omitted in production builds.';

describe('a first error', () => {
  it('makes a fault that is unseen, with a turn that names it', async () => {
    const { fault, id, activity } = await storeError({ name: 'TypeError', release: 'v1', received_at: 5_000 });
    expect(activity).toBe('first-seen');
    expect(await readFaultRow(fault)).toMatchObject({
      app: 'shop',
      side: 'server',
      name: 'TypeError',
      message: 'failed',
      culprit: '/',
      level: 'error',
      state: 'open',
      unseen: 'new',
      first_time: 5e3,
      last_time: 5e3,
      first_release: 'v1',
      last_release: 'v1',
      count: 1,
      untrusted: 0,
      users: 0,
      merged_into: null,
    });
    const { db } = await openStore();
    expect(await db.selectFrom('fault_activity').selectAll().execute()).toMatchObject([
      { fault, error: id, by: 'system' },
    ]);
    expect(await db.selectFrom('fault_hash').selectAll().execute()).toMatchObject([
      {
        fault,
        rule: 'message',
        algorithm: groupingAlgorithm,
        parts_json: '["Type TypeError","Message failed"]',
        side: 'server',
      },
    ]);
  });

  it('of each app is a fault of its own', async () => {
    const [one, other] = [await storeError({ app: 'shop' }), await storeError({ app: 'blog' })];
    expect(one.fault).not.toBe(other.fault);
    expect(one.hash).toBe(other.hash);
  });
});

describe('further errors', () => {
  it('are counted, by hour and by user, and name the fault', async () => {
    const { fault } = await storeError({ received_at: hourMs, release: 'v1', user_key: 'a', message: 'row 1' });
    await storeError({ received_at: 2 * hourMs, release: 'v2', user_key: 'b', message: 'row 2', level: 'fatal' });
    await storeError({ received_at: 2 * hourMs + 1, release: 'v2', user_key: 'b', message: 'row 3' });
    expect(await readFaultRow(fault)).toMatchObject({
      count: 3,
      users: 2,
      message: 'row 3',
      level: 'error',
      first_time: hourMs,
      last_time: 2 * hourMs + 1,
      first_release: 'v1',
      last_release: 'v2',
    });
    const { db } = await openStore();
    const hours = await db.selectFrom('fault_hour').select(['hour', 'count', 'untrusted']).orderBy('hour').execute();
    expect(hours).toEqual([
      { hour: hourMs, count: 1, untrusted: 0 },
      { hour: 2 * hourMs, count: 2, untrusted: 0 },
    ]);
    expect(await readActivityTypes(fault)).toEqual(['first-seen']);
  });

  it('that come late change neither what it is called nor its latest release', async () => {
    const { fault } = await storeError({ received_at: 5_000, message: 'row 5', release: 'v5' });
    await storeError({ received_at: 3_000, message: 'row 3', release: 'v3' });
    expect(await readFaultRow(fault)).toMatchObject({
      message: 'row 5',
      first_time: 3e3,
      last_time: 5e3,
      first_release: 'v3',
      last_release: 'v5',
      count: 2,
    });
    const { db } = await openStore();
    const releases = db.selectFrom('app_release').select(['app', 'side', 'name', 'first_time']).orderBy('name');
    expect(await releases.execute()).toEqual([
      { app: 'shop', side: 'server', name: 'v3', first_time: 3_000 },
      { app: 'shop', side: 'server', name: 'v5', first_time: 5_000 },
    ]);
  });

  it('that come late can be the first of their release', async () => {
    for (const received_at of [5_000, 3_000, 4_000]) await storeError({ received_at, release: 'v5' });
    const { db } = await openStore();
    expect(await db.selectFrom('app_release').select('first_time').execute()).toEqual([{ first_time: 3_000 }]);
  });

  it('name releases that are kept apart from those that browsers report, of which the latest are kept', async () => {
    const { db } = await openStore();
    for (let at = 1; at <= 203; at += 1) await storeUntrusted({ received_at: at, release: `untrusted ${at}` });
    await storeUntrusted({ received_at: 1, release: 'of another app', app: 'blog' });
    for (let at = 1; at <= 3; at += 1) await storeError({ received_at: at, release: `untrusted ${at}` });
    const releases = db.selectFrom('app_release').select(['name']).where('app', '=', 'shop').orderBy('first_time');
    const untrusted = await releases.where('side', '=', 'browser').execute();
    expect([untrusted.length, untrusted[0], untrusted.at(-1)]).toEqual([
      200,
      { name: 'untrusted 4' },
      { name: 'untrusted 203' },
    ]);
    expect(await releases.where('side', '=', 'server').execute()).toHaveLength(3);
    // Of servers, ten times as many.
    const many = Array.from(
      { length: 2_000 },
      (_, at) => ({ app: 'shop', side: 'server', name: `s${at}`, first_time: at }) as const,
    );
    for (let at = 0; at < many.length; at += 500) {
      await db
        .insertInto('app_release')
        .values(many.slice(at, at + 500))
        .execute();
    }
    await storeError({ received_at: 9_000, release: 'latest' });
    const kept = (await releases.where('side', '=', 'server').execute()).map(({ name }) => name);
    expect([kept.length, kept.at(-1), kept.includes('s0'), kept.includes('s1999')]).toEqual([
      2_000,
      'latest',
      false,
      true,
    ]);
    expect(await db.selectFrom('app_release').select('name').where('app', '=', 'blog').execute()).toHaveLength(1);
  });

  it('count at most a thousand users of a hash', async () => {
    const { fault, hash } = await storeError({ user_key: 'first' });
    const { db } = await openStore();
    const users = Array.from({ length: 999 }, (_, at) => ({ app: 'shop', hash, user_key: `u${at}` }));
    await db.insertInto('fault_user').values(users).execute();
    await storeError({ user_key: 'one more' });
    expect(await readFaultRow(fault)).toMatchObject({ count: 2, users: 1 });
  });
});

describe('a error of a browser', () => {
  it('is untrusted; a server’s error takes the fault over', async () => {
    const { fault } = await storeUntrusted({ message: 'row 1', received_at: 1_000 });
    expect(await readFaultRow(fault ?? '')).toMatchObject({ side: 'browser', count: 0, untrusted: 1 });
    await storeError({ message: 'row 2', received_at: 900 });
    expect(await readFaultRow(fault ?? '')).toMatchObject({ side: 'server', message: 'row 2', count: 1, untrusted: 1 });
    await storeUntrusted({ message: 'row 3', received_at: 2_000, release: 'v9' });
    expect(await readFaultRow(fault ?? '')).toMatchObject({
      side: 'server',
      message: 'row 2',
      count: 1,
      untrusted: 2,
      last_time: 900,
      last_release: '',
    });
  });

  it('makes a server’s fault no older, and not of a release that no server has', async () => {
    const { fault } = await storeUntrusted({ message: 'row 1', received_at: 1_000, release: 'made up' });
    await storeError({ message: 'row 2', received_at: 5_000, release: 'v1' });
    const told = { first_time: 5_000, last_time: 5_000, first_release: 'v1', last_release: 'v1' };
    expect(await readFaultRow(fault ?? '')).toMatchObject(told);
    const { db } = await openStore();
    expect(await db.selectFrom('fault_hash').selectAll().execute()).toMatchObject([told]);
  });

  it('whose digest a server knows is counted in that error’s fault', async () => {
    const server = await storeError({ digest: '2338734591', message: 'no stock' });
    const untrusted = await storeUntrusted({ digest: '2338734591', message: masked, received_at: 2_000 });
    expect(untrusted).toMatchObject({ fault: server.fault, fingerprint: server.hash, waits: 0 });
    expect(await readFaultRow(server.fault)).toMatchObject({
      count: 1,
      untrusted: 1,
      message: 'no stock',
      last_time: 1_000,
    });
    const { db } = await openStore();
    expect(await db.selectFrom('fault_hash').select('hash').execute()).toEqual([{ hash: server.hash }]);
    expect(await db.selectFrom('fault_hour').select(['count', 'untrusted']).execute()).toEqual([
      { count: 1, untrusted: 1 },
    ]);
  });

  it('whose digest several builds have is counted in the fault of its own', async () => {
    const digest = '2338734591';
    const first = await storeError({ digest, release: 'v1', message: 'no stock', time: 0 });
    const both = { digest, message: masked };
    // Nobody but browsers names it so: the server may call it in another way.
    expect(await storeUntrusted({ ...both, release: 'shop@2', received_at: hourMs })).toMatchObject({ waits: 0 });
    // A server has named it, in another error.
    await storeError({ digest: 'other', release: 'v2', name: 'RangeError', message: 'late', time: hourMs });
    const early = await storeUntrusted({ ...both, release: 'v2', received_at: hourMs });
    expect(early).toMatchObject({ waits: 1 });
    const second = await storeError({
      digest,
      release: 'v2',
      name: 'TypeError',
      message: 'sold',
      time: hourMs + 1_000,
    });
    expect(second.fault).not.toBe(first.fault);
    expect(await readFaultRow(second.fault)).toMatchObject({ count: 1, untrusted: 1 });
    expect(await readFaultRow(first.fault)).toMatchObject({ count: 1, untrusted: 1 });
    for (const [release, received_at, fault] of [
      ['v1', 2 * hourMs, first.fault],
      ['v2', 2 * hourMs, second.fault],
      ['v3', hourMs, second.fault],
    ] as const) {
      expect(await storeUntrusted({ ...both, release, received_at })).toMatchObject({ fault, waits: 0 });
    }
  });

  it('of a new build waits for its server’s error, though the old one’s is half a minute old', async () => {
    const digest = '2338734591';
    const both = { digest, message: masked };
    const old = await storeError({ digest, release: 'v1', message: 'no stock', time: 0 });
    await storeError({ digest: 'other', release: 'v2', name: 'RangeError', message: 'late', time: 1_000 });
    // What a server of another build answers, its tab reports at once.
    expect(await storeUntrusted({ ...both, release: 'v2', received_at: 4_000 })).toMatchObject({ fault: old.fault });
    expect(await storeUntrusted({ ...both, release: 'v2', received_at: 20_000 })).toMatchObject({ waits: 1 });
    await storeError({ digest, release: 'v1', message: 'no stock', time: 26_000 });
    expect(await readFaultRow(old.fault)).toMatchObject({ count: 2, untrusted: 1 });
    const own = await storeError({ digest, release: 'v2', name: 'TypeError', message: 'sold', time: 40_000 });
    expect(await readFaultRow(own.fault)).toMatchObject({ count: 1, untrusted: 1 });
    expect(await readFaultRow(old.fault)).toMatchObject({ count: 2, untrusted: 1 });
  });

  it('is joined however many of another build wait with its digest', async () => {
    const digest = '2338734591';
    const both = { digest, message: masked };
    await storeError({ digest: 'other', release: 'v1', message: 'no stock', time: 0 });
    await storeError({ digest: 'another', release: 'v2', name: 'RangeError', message: 'late', time: 0 });
    for (let n = 0; n < 25; n += 1) await storeUntrusted({ ...both, release: 'v1', received_at: 1_000 + n });
    expect(await storeUntrusted({ ...both, release: 'v2', received_at: 2_000 })).toMatchObject({ waits: 1 });
    const own = await storeError({ digest, release: 'v2', name: 'TypeError', message: 'sold', time: 60_000 });
    expect(await readFaultRow(own.fault)).toMatchObject({ count: 1, untrusted: 1 });
  });

  it('is not joined to an error of another app', async () => {
    const server = await storeError({ digest: '2338734591', app: 'blog' });
    expect((await storeUntrusted({ digest: '2338734591', message: masked })).fault).not.toBe(server.fault);
  });

  it('with a masked message is joined by the trace, within a minute, unless both have digests', async () => {
    const trace = 'a'.repeat(32);
    const server = await storeError({ trace_id: trace, time: 100_000, received_at: 100_000 });
    const untrusted = { trace_id: trace, message: masked };
    expect((await storeUntrusted({ ...untrusted, received_at: 160_000 })).fault).toBe(server.fault);
    expect((await storeUntrusted({ ...untrusted, received_at: 40_000, digest: 'x1' })).fault).toBe(server.fault);
    expect((await storeUntrusted({ ...untrusted, received_at: 160_001 })).fault).not.toBe(server.fault);
    expect((await storeUntrusted({ ...untrusted, received_at: 39_999 })).fault).not.toBe(server.fault);
    // A browser's own error on the same page.
    expect((await storeUntrusted({ ...untrusted, received_at: 100_000, message: 'x is null' })).fault).not.toBe(
      server.fault,
    );
    const other = { trace_id: 'b'.repeat(32), time: 100_000, received_at: 100_000, digest: 'd1', message: 'other' };
    const named = await storeError(other);
    const unnamed = { ...other, message: masked, received_at: 100_000 };
    expect((await storeUntrusted({ ...unnamed, digest: 'd2' })).fault).not.toBe(named.fault);
    expect((await storeUntrusted({ ...unnamed, digest: null })).fault).toBe(named.fault);
  });

  it.each([
    'The server could not finish this Suspense boundary, likely due to an error during server rendering.',
    'Minified React error #419; visit https://react.dev/errors/419',
    'Minified React error #441; visit https://react.dev/errors/441 for the full message',
  ])('is masked by React DOM, too: %s', async (message) => {
    const trace = 'a'.repeat(32);
    const server = await storeError({ trace_id: trace });
    expect((await storeUntrusted({ trace_id: trace, message })).fault).toBe(server.fault);
  });

  it('of an unknown server error is grouped by its digest or its place, never by the masked text alone', async () => {
    const faults = [
      await storeUntrusted({ message: masked, digest: '2338734591', path: '/a' }),
      await storeUntrusted({ message: masked, digest: '1111111111@E394', path: '/a' }),
      await storeUntrusted({ message: masked, path: '/a' }),
      await storeUntrusted({ message: masked, path: '/b' }),
    ].map(({ fault }) => fault);
    expect(new Set(faults).size).toBe(4);
    expect((await storeUntrusted({ message: masked, digest: '2338734591', path: '/b' })).fault).toBe(faults[0]);
    expect((await storeUntrusted({ message: masked, digest: 'AAAA7K2M9Q', path: '/b' })).fault).toBe(faults[3]);
  });
});

describe('a server’s error that comes after the untrusted error', () => {
  it('takes the untrusted error over, and what the untrusted error was counted in leads there', async () => {
    const untrusted = await storeUntrusted({
      digest: '2338734591',
      message: masked,
      user_key: 'u',
      received_at: 2 * hourMs,
    });
    expect(untrusted.waits).toBe(1);
    const server = await storeError({ digest: '2338734591', message: 'no stock', received_at: 2 * hourMs + 5 });
    const { db } = await openStore();
    expect(
      await db.selectFrom('event').where('side', '=', 'browser').select(['fault', 'fingerprint', 'waits']).execute(),
    ).toEqual([{ fault: server.fault, fingerprint: server.hash, waits: 0 }]);
    expect(await readFaultRow(server.fault)).toMatchObject({ count: 1, untrusted: 1, users: 0, unseen: 'new' });
    expect(await readFaultRow(untrusted.fault ?? '')).toMatchObject({
      merged_into: server.fault,
      untrusted: 0,
      users: 0,
      unseen: null,
    });
    expect(await readActivityTypes(untrusted.fault ?? '')).toEqual(['first-seen', 'merged']);
    expect(await db.selectFrom('fault_hour').selectAll().execute()).toMatchObject([
      { hash: server.hash, count: 1, untrusted: 1 },
    ]);
    expect(await db.selectFrom('fault_user').selectAll().execute()).toEqual([]);
    // The text alone is a new fault again.
    const again = await storeUntrusted({ digest: '2222222222', message: masked });
    expect(again.fault).not.toBe(untrusted.fault);
  });

  it('takes over only the untrusted errors that are its own', async () => {
    const [one, other] = [
      await storeUntrusted({ message: masked, digest: 'd1' }),
      await storeUntrusted({ message: masked, digest: 'd2' }),
    ];
    expect(one.fault).toBe(other.fault);
    const server = await storeError({ digest: 'd1', message: 'no stock' });
    const { db } = await openStore();
    const untrusted = await db
      .selectFrom('event')
      .where('side', '=', 'browser')
      .select(['id', 'fault', 'waits'])
      .orderBy('id')
      .execute();
    expect(untrusted).toEqual([
      { id: one.id, fault: server.fault, waits: 0 },
      { id: other.id, fault: one.fault, waits: 1 },
    ]);
    expect(await readFaultRow(one.fault ?? '')).toMatchObject({ untrusted: 1, merged_into: null });
  });

  it('finds it by the trace, where the message is masked', async () => {
    const trace_id = 'c'.repeat(32);
    await storeUntrusted({ message: masked, trace_id, received_at: 50_000 });
    await storeUntrusted({ message: masked, trace_id, received_at: 500_000 });
    await storeUntrusted({ message: 'x is null', digest: 'other', trace_id, received_at: 50_000 });
    const server = await storeError({ trace_id, message: 'no stock', received_at: 50_000 });
    expect(await readFaultRow(server.fault)).toMatchObject({ count: 1, untrusted: 1 });
  });

  it('counts an untrusted error that came while its stack was being read', async () => {
    const { db } = await openStore();
    const early = await storeError({ id: 'early', digest: 'd1' });
    await db
      .updateTable('event')
      .where('side', '=', 'server')
      .set({ fault: null, fingerprint: '' })
      .where('id', '=', early.id)
      .execute();
    const untrusted = await storeUntrusted({ digest: 'd1', message: masked });
    expect(untrusted).toMatchObject({ fault: null, waits: 1 });
    await db.deleteFrom('event').where('side', '=', 'server').execute();
    const server = await storeError({ digest: 'd1' });
    expect(await readFaultRow(server.fault)).toMatchObject({ count: 2, untrusted: 1 });
    expect(
      await db.selectFrom('event').where('side', '=', 'browser').select(['fault', 'fingerprint', 'waits']).execute(),
    ).toEqual([{ fault: server.fault, fingerprint: server.hash, waits: 0 }]);
  });
});

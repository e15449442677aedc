import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { ensureApp, type App } from '#src/apps/apps.ts';
import { readRefusals, writeRefusals } from '#src/apps/refusals.ts';
import { listFaultsForHome } from '#src/faults/grouping/list-faults.ts';
import { findDigest, findNearDigests, knowDigests } from '#src/faults/digests/find-digest.ts';
import { listAppsWith, listSuffixed } from '#src/faults/digests/look-up-holders.ts';
import { listKeptErrors } from '#src/faults/grouping/kept-errors.ts';
import { findErrorDetails, findErrorDetailsById } from '#src/faults/digests/find-error-details.ts';
import type { AppError } from '#report/sender/app-error.ts';
import { dialectOf } from '#src/store/dialect.ts';
import { openStore } from '#src/store/open-store.ts';

import { appErrors, isAppErrorsPath } from './app-errors.ts';

/** What operators read is looked at as well; src/faults/kept/queries-guard.test.ts tests who may. */
useOperator();

let folder: string;
let server: Hono;
let shop: App;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-app-errors-'));
  process.env['FLIGHT_DATA'] = folder;
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(JSON.parse(String(text))) > 0);
  shop = await ensureApp('shop');
  server = new Hono();
  server.use(appErrors());
  server.notFound((c) => c.text('the rest of the app', 404));
});

afterEach(async () => {
  // Otherwise the next test's database gets this one's.
  await writeRefusals();
  delete process.env['FLIGHT_DATA'];
  for (const store of globalThis.__FLIGHT_STORES__?.values() ?? []) await (await store).close();
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

let count = 0;

function createError(more: Partial<AppError> = {}): AppError {
  count += 1;
  return {
    id: count.toString(16).padStart(32, '0'),
    time: Date.now() - 1_000,
    reporter: 'next',
    digest: '2338734591',
    framework: 'next',
    phase: 'rsc',
    kind: 'navigation',
    route: '/orders/[id]',
    request: { method: 'GET', path: '/orders/7?token=hunter2', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    runtime: 'Node 24.21.0',
    name: 'TypeError',
    message: 'no order',
    stack: 'TypeError: no order\n    at c (/srv/.next/server/a.js:1:2)',
    frames: [
      {
        fn: 'loadOrder',
        file: '/srv/.next/server/a.js',
        line: 7,
        column: 3,
        source: 'app/orders.ts',
        inApp: true,
        context: { firstLine: 6, lines: ['export function loadOrder(id) {', '  throw new TypeError("no order");'] },
      },
    ],
    ...more,
  };
}

type Sent = {
  readonly key?: string;
  readonly app?: string;
  readonly headers?: Record<string, string>;
  readonly method?: string;
};

function send(body: string, { key = shop.secretKey, app = 'shop', headers = {}, method = 'POST' }: Sent = {}) {
  const init = {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    ...(method === 'GET' ? {} : { body }),
  };
  return Promise.resolve(server.request(`http://recorder.test/api/${app}/errors`, init));
}

function post(...errors: readonly AppError[]) {
  return send(JSON.stringify({ errors }));
}

describe('what an app prints', () => {
  const printed = { reporter: 'log', phase: 'unknown', kind: 'unknown', release: 'b1' } as const;
  const readDigests = async () => {
    const { db } = await openStore();
    const rows = await db.selectFrom('event').select(['message', 'digest', 'release']).orderBy('id').execute();
    return rows.map(({ message, digest, release }) => `${release} ${message}: ${digest}`);
  };

  it('has no digest of an error that says something else: a visitor may have written it', async () => {
    const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
    await post(createError({ ...printed, time: at(0) }));
    await post(createError({ ...printed, time: at(1), message: 'All is well' }));
    await post(createError({ ...printed, time: at(2), message: 'All is well', frames: [] }));
    await post(createError({ ...printed, time: at(3) }));
    await post(createError({ ...printed, time: at(4), message: 'another one', release: 'b2' }));
    // An app may have given its own to many errors.
    for (const message of ['2 left', '1 left']) {
      await post(createError({ ...printed, time: at(5), message, digest: 'STOCK' }));
    }
    expect(await readDigests()).toEqual([
      'b1 no order: 2338734591',
      'b1 All is well: null',
      'b1 All is well: null',
      'b1 no order: 2338734591',
      'b2 another one: null',
      'b1 2 left: STOCK',
      'b1 1 left: STOCK',
    ]);
    // Which is the app's own nobody knows: so the others are told beside the first.
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details?.server?.message).toBe('no order');
    expect(details?.printedToo.map(({ message }) => message)).toEqual(['another one', 'All is well']);
    const other = await findErrorDetailsById(details?.printedToo[0]?.id ?? '');
    expect([other?.digest, other?.server?.printedDigest]).toEqual([null, '2338734591']);
  });

  it('has no digest of what the app itself reported, whichever came first and of whatever kind it is', async () => {
    const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
    for (const [place, digest] of ['2338734591', '4G8K2M9QRT', 'order-failed-77'].entries()) {
      const time = (seconds: number) => at(10 * place + seconds);
      if (digest !== 'order-failed-77') {
        await post(createError({ ...printed, digest, time: time(0), message: 'made up before' }));
      }
      await post(createError({ digest, time: time(1), message: 'reported' }));
      await post(createError({ ...printed, digest, time: time(2), message: 'made up later' }));
      await post(createError({ ...printed, digest, time: time(3), message: 'reported' }));
      const { db } = await openStore();
      const rows = await db.selectFrom('event').select('message').where('digest', '=', digest).execute();
      expect(new Set(rows.map(({ message }) => message))).toEqual(new Set(['reported']));
    }
  });

  it.each([
    ['made up', '1100000001'],
    ['made up: no order', '1100000002'],
    ['no order', '1100000004'],
    ['An error occurred in the Server Components render.', '1100000003'],
  ])('is no place for what the app reports a moment later, where it says %j', async (message, digest) => {
    const time = Date.now() - 1_000;
    const frames = [{ fn: 'login', file: 'src/made-up.ts', line: 1, column: 1, inApp: true }];
    await post(createError({ ...printed, time, digest, message, frames }));
    await post(createError({ time: time + 1, digest }));
    const { db } = await openStore();
    const { fault } = await db
      .selectFrom('event')
      .select('fault')
      .where('message', '=', 'no order')
      .executeTakeFirstOrThrow();
    const own = await db.selectFrom('fault').select(['message', 'count']).where('id', '=', fault).execute();
    expect(own).toEqual([{ message: 'no order', count: 1 }]);
    const made = await db.selectFrom('fault').select(['count', 'merged_into']).where('id', '!=', fault).execute();
    // A text that the report says too is counted no more.
    expect(made).toEqual(
      message === 'made up' ? [{ count: 1, merged_into: null }] : [{ count: 0, merged_into: fault }],
    );
  });

  it('has no digest of an error that was thrown elsewhere, though it says the same', async () => {
    const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
    const frames = [{ fn: 'evil', file: 'app/evil.js', line: 1, column: 1, inApp: true }];
    const causes: AppError['causes'] = [];
    const evil = { ...printed, causes, stack: 'TypeError: no order\n    at evil (app/evil.js:1:1)', frames };
    const bare = { ...printed, causes, stack: 'TypeError: no order', frames: [] };
    // Without a map the frames are no one's: the stack tells them apart.
    const built = [{ fn: 'c', file: 'node_modules/a.js', line: 1, column: 2, inApp: false }];
    await post(createError({ ...bare, digest: '1100000003', time: at(0), frames: built, stack: 'a:1:2' }));
    await post(createError({ ...bare, digest: '1100000003', time: at(1), frames: built, stack: 'a:1:1' }));
    expect((await findErrorDetails('1100000003', 'shop'))?.server?.stack).toBe('a:1:2');
    for (const [digest, isReported] of [
      ['1100000001', true],
      ['1100000002', false],
    ] as const) {
      await post(createError({ digest, causes, time: at(0), ...(isReported ? {} : printed) }));
      await post(createError({ digest, ...evil, time: at(1) }));
      await post(createError({ digest, ...bare, time: at(2) }));
      // Once more, and with frames of which no map was read: it is what was printed first.
      await post(
        createError({ ...printed, digest, causes, time: at(3), frames: isReported ? createError().frames : [] }),
      );
      const details = await findErrorDetails(digest, 'shop');
      expect([details?.server?.stack.includes('evil'), details?.server?.frames.length]).not.toEqual([true, 0]);
      expect(details?.server?.stack).toContain('at c (/srv');
      expect(details?.printedToo).toHaveLength(1);
      const { db } = await openStore();
      const rows = await db.selectFrom('event').select('digest').where('printed_digest', '=', digest).execute();
      expect(rows).toHaveLength(2);
    }
  });

  it('keeps its digest where it had no frames and no cause, and a report of later says the same', async () => {
    const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
    const bare = { ...printed, frames: [], stack: 'TypeError: no order\n    at ignore-listed frames' };
    await post(createError({ ...bare, time: at(0) }));
    await post(createError({ ...bare, time: at(1), causes: [{ name: 'Error', message: 'made up', stack: '' }] }));
    await post(createError({ time: at(2), release: 'b2' }));
    expect(await readDigests()).toEqual(['b1 no order: 2338734591', 'b1 no order: null', 'b2 no order: 2338734591']);
  });

  it('keeps its digest where a report of later was thrown at the same place, and has a map', async () => {
    const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
    const stack = 'TypeError: no order\n    at c (.next/server/a.js:1:2)';
    const unmapped = [{ fn: 'c', file: '.next/server/a.js', line: 1, column: 2, inApp: true }];
    await post(createError({ ...printed, time: at(0), stack, frames: unmapped }));
    await post(createError({ ...printed, time: at(1), stack: stack.replace(':1:2', ':1:3'), frames: unmapped }));
    await post(createError({ time: at(2), release: 'b2' }));
    await post(createError({ ...printed, time: at(3), stack, frames: unmapped }));
    expect(await readDigests()).toEqual([
      'b1 no order: 2338734591',
      'b1 no order: null',
      'b2 no order: 2338734591',
      'b1 no order: 2338734591',
    ]);
  });

  it('has no digest of an error whose message has the same line of a stack', async () => {
    const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
    const message = 'no order\n    at c (a.js:1:2)\nof this';
    const stack = `TypeError: ${message}\n    at c (.next/server/a.js:1:2)`;
    const unmapped = [{ fn: 'c', file: '.next/server/a.js', line: 1, column: 2, inApp: true }];
    await post(createError({ time: at(0), message, stack }));
    await post(
      createError({ ...printed, time: at(1), message, stack: stack.replace(/:1:2\)$/, ':9:9)'), frames: unmapped }),
    );
    await post(createError({ ...printed, time: at(2), message, stack, frames: unmapped }));
    const digests = (await readDigests()).map((line) => line.split(': ').at(-1));
    expect(digests).toEqual(['2338734591', 'null', '2338734591']);
  });

  it('leaves a fault’s last time and release to the errors that the fault has', async () => {
    const noFrames = { ...printed, frames: [], stack: 'TypeError: no order\n    at ignore-listed frames' };
    const { db } = await openStore();
    const readFaults = () =>
      db.selectFrom('fault').select(['count', 'last_time', 'last_release']).orderBy('first_time').execute();
    await post(createError({ ...noFrames, time: Date.now() - 60_000 }));
    const [before] = await readFaults();
    const time = Date.now();
    await post(createError({ ...noFrames, release: 'b2', time }));
    await post(createError({ time: time + 1, release: 'b2' }));
    const [own, reported] = await readFaults();
    expect(own).toEqual(before);
    expect(reported).toMatchObject({ count: 1, last_release: 'b2' });
    const facets = db.selectFrom('fault_facet').select('value').where('name', '=', 'release').orderBy('value');
    expect(await facets.execute()).toEqual([{ value: 'b1' }, { value: 'b2' }]);
  });

  it('has no digest of an error with Next’s suffix or without, and none after any number of masked texts', async () => {
    const at = (seconds: number) => Date.now() - 900_000 + seconds * 10_000;
    const masked =
      'An error occurred in the Server Components render. The specific message is omitted in production builds';
    await post(createError({ ...printed, time: at(0), digest: '2338734591@E394' }));
    for (let n = 1; n <= 30; n += 1) {
      await post(createError({ ...printed, time: at(n), digest: '2338734591', message: masked }));
    }
    await post(createError({ ...printed, time: at(31), digest: '2338734591@E9', message: masked }));
    const suffixed = ['2338734591@E394', '2338734591@E395', '2338734591@E1234567', '2338734591@ABC1', '2338734591@'];
    for (const [n, digest] of ['2338734591', ...suffixed].entries()) {
      await post(createError({ ...printed, time: at(40 + n), digest, message: 'made up' }));
    }
    const { db } = await openStore();
    const rows = await db.selectFrom('event').select('digest').where('message', '=', 'made up').execute();
    expect(new Set(rows.map(({ digest }) => digest))).toEqual(new Set([null]));
    expect((await findErrorDetails('2338734591@E394', 'shop'))?.server?.message).toBe('no order');
  });

  it('hides no report behind React’s own text, before it and after it, where a made-up one came first', async () => {
    const at = (seconds: number) => Date.now() - 1_500_000 + seconds * 10_000;
    const message = 'An error occurred in the Server Components render.';
    await post(createError({ ...printed, time: at(0), message: 'made up' }));
    for (let n = 1; n <= 50; n += 1) await post(createError({ ...printed, time: at(n), message }));
    await post(createError({ time: at(60) }));
    for (let n = 61; n <= 110; n += 1) await post(createError({ ...printed, time: at(n), message }));
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details?.server?.message).toBe('no order');
    await post(createError({ ...printed, time: at(111), message: 'made up' }));
    expect((await findErrorDetails('2338734591', 'shop'))?.server?.message).toBe('no order');
  });

  it('keeps its place under a digest that has been printed with React’s own text alone', async () => {
    const at = (seconds: number) => Date.now() - 900_000 + seconds * 10_000;
    const message = 'An error occurred in the Server Components render.';
    for (let n = 0; n < 50; n += 1) {
      const text = n === 25 ? 'no order' : n === 26 ? 'made up' : message;
      await post(createError({ ...printed, time: at(n), message: text }));
    }
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details?.server?.message).toBe('no order');
    expect(details?.printedToo.map((other) => other.message)).toEqual(['made up']);
  });

  it.each([true, false])(
    'is of its fault also where its frames could not be mapped, first or later',
    async (isFirst) => {
      const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
      const { frames = [] } = createError();
      const bare = frames?.map(({ source: _source, context: _context, ...frame }) => ({ ...frame, inApp: false }));
      for (const reporter of ['log', 'next'] as const) {
        const [digest, message] =
          reporter === 'log' ? (['1100000001', 'sold out'] as const) : (['1100000002', 'not there'] as const);
        for (const [n, isBare] of [isFirst, !isFirst].entries()) {
          await post(createError({ reporter, digest, time: at(n), frames: isBare ? bare : frames, message }));
        }
        const other = {
          reporter,
          digest,
          time: at(3),
          frames: [{ fn: 'y', file: '/z.js', line: 1, column: 1, inApp: false }],
          message,
          stack: 'Error: x\n    at y (/z.js:1:1)',
        };
        await post(createError(other));
        const { db } = await openStore();
        const rows = await db
          .selectFrom('event')
          .select('fault')
          .where('message', '=', message)
          .orderBy('time')
          .execute();
        const [first, second, third] = rows.map(({ fault }) => fault);
        expect([rows.length, second === first]).toEqual([3, true]);
        // Without any frame of the app it is known by what it says alone.
        expect(third === first).toBe(isFirst);
      }
    },
  );

  it('is a fault for each cause, and its digest names both', async () => {
    const of = (name: string) => ({
      causes: [{ name, message: `${name} at 7`, stack: `${name}: at 7\n    at query (.next/server/a.js:1:9)` }],
    });
    for (const name of ['DbError', 'TypeError', 'DbError', 'TypeError']) {
      await post(createError({ ...printed, ...of(name) }));
    }
    const { db } = await openStore();
    const rows = await db.selectFrom('event').select(['fault', 'causes_json']).orderBy('time').orderBy('id').execute();
    const byCause = Map.groupBy(rows, ({ causes_json: json }) => json.includes('DbError'));
    expect([...byCause.values()].map((some) => [some.length, new Set(some.map(({ fault }) => fault)).size])).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(new Set(rows.map(({ fault }) => fault)).size).toBe(2);
    const details = await findErrorDetails('2338734591', 'shop');
    const [shown] = details?.server?.causes ?? [];
    expect(details?.otherFaults.map(({ cause }) => cause)).toEqual([
      shown?.name === 'DbError' ? 'TypeError: TypeError at 7' : 'DbError: DbError at 7',
    ]);
  });

  it('gives way with its digest where it could not be read whole', async () => {
    const at = (seconds: number) => Date.now() - 600_000 + seconds * 10_000;
    const cut = "no order { digest: '2338734591'";
    await post(createError({ ...printed, time: at(0), message: cut, frames: [], stack: '' }));
    await post(createError({ ...printed, time: at(1) }));
    // What says something else has to be the first, with frames or without.
    await post(createError({ ...printed, time: at(2), message: 'made up' }));
    expect(await readDigests()).toEqual([`b1 ${cut}: 2338734591`, 'b1 no order: 2338734591', 'b1 made up: null']);
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details?.server?.message).toBe('no order');
    const bare = { ...printed, digest: '1100000001', frames: [], stack: '' };
    await post(createError({ ...bare, time: at(0), message: 'real frameless' }));
    for (const message of ['made up', 'e', 'real frameless']) {
      await post(createError({ ...bare, time: at(1), message, frames: createError().frames, stack: 'made up' }));
    }
    expect((await findErrorDetails('1100000001', 'shop'))?.server).toMatchObject({
      message: 'real frameless',
      frames: [],
    });
  });

  it('is named beside the first, also where many others came after it', async () => {
    const at = (seconds: number) => Date.now() - 900_000 + seconds * 10_000;
    for (let n = 0; n < 30; n += 1) {
      await post(createError({ ...printed, time: at(n), message: n === 1 ? 'no order' : `made up ${n}` }));
    }
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details?.server?.message).toBe('made up 0');
    expect(details?.printedToo.map(({ message }) => message)).toContain('no order');
  });
});

describe('what an app sends', () => {
  it('is found by its digest, with its source and without the values of its query', async () => {
    const response = await post(createError());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ received: 1, added: 1 });
    expect(await findDigest(['2338734591'])).toMatchObject([{ app: 'shop', digest: '2338734591' }]);
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details).toMatchObject({ app: 'shop', names: 'fault', withDigest: 1 });
    expect(details?.server).toMatchObject({
      framework: 'next',
      route: '/orders/[id]',
      path: '/orders/7',
      phase: 'rsc',
      kind: 'navigation',
      runtime: 'Node 24.21.0',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      frames: [{ fn: 'loadOrder', source: 'app/orders.ts', line: 7, inApp: true, context: { firstLine: 6 } }],
    });
    expect(details?.server?.fingerprint).toMatch(/^[\da-f]{16}$/);
  });

  it('is stored once, however often it is sent', async () => {
    const error = createError();
    await post(error);
    expect(await (await post(error, createError())).json()).toEqual({ received: 2, added: 1 });
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details?.withDigest).toBe(2);
    const { errors } = await listKeptErrors(details?.fault ?? '');
    expect(errors).toHaveLength(2);
    const other = errors.find(({ key }) => key !== details?.server?.id);
    expect((await findErrorDetailsById(other?.key ?? ''))?.server).toMatchObject({ id: other?.key, path: '/orders/7' });
  });

  it('is one row with what its output says of it, and keeps what it knows of the request', async () => {
    const time = Date.now();
    const log = { reporter: 'log', phase: 'unknown', kind: 'unknown', request: undefined, route: undefined } as const;
    await post(createError({ ...log, time: time + 200 }));
    await post(createError({ time }));
    await post(createError({ ...log, digest: undefined, time }), createError({ digest: undefined, time }));
    const { db } = await openStore();
    const rows = await db.selectFrom('event').where('side', '=', 'server').select(['digest', 'path']).execute();
    // Which of null and a text comes first is the database's to say.
    expect(rows.toSorted((a, b) => Number(a.digest) - Number(b.digest))).toEqual([
      { digest: null, path: '/orders/7' },
      { digest: '2338734591', path: '/orders/7' },
    ]);
  });

  it('is the reason of its fault, where its output was there first', async () => {
    const log = { reporter: 'log', phase: 'unknown', kind: 'unknown', request: undefined, route: undefined } as const;
    const same = { digest: '4711471147', message: 'no reason' };
    await post(createError({ ...log, ...same }));
    await post(createError(same));
    const { db } = await openStore();
    const [event, ...others] = await db.selectFrom('event').select(['id', 'path']).execute();
    expect([event?.path, others]).toEqual(['/orders/7', []]);
    const activities = await db.selectFrom('fault_activity').select(['type', 'error']).execute();
    expect(activities).toEqual([{ type: 'first-seen', error: event?.id }]);
    const phases = await db.selectFrom('fault_facet').select('value').where('name', '=', 'phase').execute();
    expect(phases).toEqual([{ value: 'rsc' }]);
  });

  it('keeps what its request did before it', async () => {
    const render = { time: 1_000, category: 'render', message: 'Rendering began', level: 'info' } as const;
    const own = {
      // No date: it is told as the time of receipt.
      time: Number.MAX_SAFE_INTEGER,
      category: 'orders',
      message: 'password=hunter2',
      level: 'warning',
      data: { id: 7 },
    } as const;
    await post(createError({ breadcrumbs: [render, own], route: '/reset?token=hunter2' }));
    const crumbs = (await findErrorDetails('2338734591', 'shop'))?.breadcrumbs;
    expect(crumbs).toMatchObject([
      { side: 'server', category: 'render', message: 'Rendering began' },
      { side: 'server', category: 'orders', level: 'warning', data: { id: '7' } },
    ]);
    expect(JSON.stringify(crumbs)).not.toContain('hunter2');
    expect(crumbs?.[1]?.time).toBeLessThanOrEqual(Date.now());
    const { db } = await openStore();
    expect(await db.selectFrom('event').select('route').execute()).toEqual([{ route: '/reset' }]);
  });

  it('has room for what fits beside the rest of the error', async () => {
    const long = 'ä'.repeat(512);
    const breadcrumbs = Array.from({ length: 100 }, (_, n) => {
      return { time: n, category: 'c', message: long, level: 'info', data: { long } } as const;
    });
    await post(createError({ breadcrumbs }));
    const { db } = await openStore();
    const { breadcrumbs_json: json, bytes } = await db
      .selectFrom('event')
      .where('side', '=', 'server')
      .select(['breadcrumbs_json', 'bytes'])
      .executeTakeFirstOrThrow();
    expect(Buffer.byteLength(json)).toBeLessThan(34 * 1024);
    expect(Buffer.byteLength(json)).toBeGreaterThan(28 * 1024);
    expect(JSON.parse(json).at(-1)).toMatchObject({ time: 99 });
    expect(bytes).toBeGreaterThan(Buffer.byteLength(json));
  });

  it('loses its secrets, and is cut', async () => {
    await post(
      createError({
        message: `connect postgres://app:hunter2@10.0.0.7/shop ${'x'.repeat(20_000)}`,
        stack: 'Error: password=hunter2',
        causes: [{ name: 'Error', message: 'token=hunter2', stack: '' }],
        frames: Array.from({ length: 90 }, () => ({
          fn: 'f',
          file: '/a.js',
          line: 1,
          column: 1,
          inApp: false,
          context: { firstLine: 1, lines: ['connect({ password: "hunter2" });'] },
        })),
      }),
    );
    const stored = (await findErrorDetails('2338734591', 'shop'))?.server;
    expect(JSON.stringify(stored)).not.toContain('hunter2');
    expect(stored?.message).toContain('@10.0.0.7/shop');
    expect(stored?.message.length).toBeLessThan(8_300);
    expect(stored?.frames).toHaveLength(50);
  });

  it('keeps its frames when their source lines are too much', async () => {
    const code = Array.from({ length: 15 }, () => 'x'.repeat(390));
    const frame = {
      fn: 'f',
      file: '/a.js',
      line: 1,
      column: 1,
      source: 'a.ts',
      inApp: true,
      context: { firstLine: 1, lines: code },
    };
    await post(createError({ frames: Array.from({ length: 20 }, () => frame) }));
    const stored = (await findErrorDetails('2338734591', 'shop'))?.server;
    expect(stored?.frames).toHaveLength(20);
    expect(stored?.frames.every(({ context }) => context === undefined)).toBe(true);
  });

  it('shows its causes where their sender found their sources', async () => {
    const context = { firstLine: 1, lines: ['const price = find(id);', 'throw new Error("no price");'] };
    const frame = { fn: 'f', file: '/srv/a.js', line: 2, column: 1, source: 'src/prices.ts', inApp: true };
    const cause = { name: 'Error', message: 'no price', stack: 'Error: no price\n    at f (/srv/a.js:1:900)' };
    await post(createError({ causes: [{ ...cause, frames: [{ ...frame, context }] }] }));
    const stored = (await findErrorDetails('2338734591', 'shop'))?.server;
    expect(stored?.causes).toMatchObject([
      { name: 'Error', frames: [{ source: 'src/prices.ts', line: 2, inApp: true, context }] },
    ]);
  });

  it('has room for the frames of its causes where its own leave any', async () => {
    const frame = { fn: 'f'.repeat(250), file: `/${'a'.repeat(900)}.js`, line: 2, column: 1, inApp: true };
    const frames = Array.from({ length: 30 }, () => frame);
    const cause = { name: 'Error', message: 'no price', stack: '', frames };
    await post(createError({ frames, causes: [cause, cause, cause] }));
    const { db } = await openStore();
    const row = await db
      .selectFrom('event')
      .where('side', '=', 'server')
      .select(['frames_json', 'causes_json'])
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.frames_json)).toHaveLength(30);
    expect(Buffer.byteLength(row.frames_json) + Buffer.byteLength(row.causes_json)).toBeLessThan(50 * 1024);
    const causes: { frames?: unknown[] }[] = JSON.parse(row.causes_json);
    expect(causes.map((one) => one.frames?.length)).toEqual([10, undefined, undefined]);
  });

  it('is shown with what a browser reported in the same trace', async () => {
    await post(createError());
    const { db } = await openStore();
    const now = Date.now();
    const report = {
      digest: null,
      side: 'browser',
      fingerprint: 'f',
      time: now,
      received_at: now,
      name: 'Error',
      message: 'a failed page',
      path: '/orders/7',
      frames_json: '[]',
      component_stack: null,
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      breadcrumbs_json: '[]',
    } as const;
    await db
      .insertInto('event')
      .values({ ...report, id: 'a', app: 'shop' })
      .execute();
    await db
      .insertInto('event')
      .values({ ...report, id: 'b', app: 'blog' })
      .execute();
    await db
      .insertInto('event')
      .values({ ...report, id: 'c', app: 'shop', received_at: now - 120_000 })
      .execute();
    const details = await findErrorDetails('2338734591', 'shop');
    expect(details?.browser.map(({ eventId }) => eventId)).toEqual(['a']);
  });

  it('has the time of its arrival when its own cannot be', async () => {
    const now = Date.now();
    await post(createError({ time: now + 3_600_000, digest: 'a1' }), createError({ time: 5, digest: 'a2' }));
    for (const digest of ['a1', 'a2']) {
      const time = (await findErrorDetails(digest, 'shop'))?.server?.time ?? 0;
      expect(Math.abs(time - now)).toBeLessThan(5_000);
    }
  });

  it('has an id of its app, and counts for a fault of its app', async () => {
    await post(createError({ digest: undefined }));
    const { db } = await openStore();
    const [error] = await db
      .selectFrom('event')
      .where('side', '=', 'server')
      .select(['id', 'app', 'digest', 'phase'])
      .execute();
    expect(error).toMatchObject({ app: 'shop', digest: null, phase: 'rsc' });
    expect(error?.id).toMatch(/^shop\.[\da-f]{32}$/);
    expect((await listFaultsForHome('shop')).faults).toMatchObject([{ app: 'shop', side: 'server', count: 1 }]);
  });

  it('names one error where flight-recorder/rsc minted the digest', async () => {
    await post(createError({ digest: '3F7K2M9QRT', reporter: 'rsc' }));
    expect((await findErrorDetails('3F7K2M9QRT', 'shop'))?.names).toBe('error');
  });
});

describe('a digest', () => {
  it('is known by its number alone where Next adds a suffix', async () => {
    await post(createError({ digest: '2338734591@E394' }));
    expect(await findDigest(['2338734591'])).toMatchObject([{ digest: '2338734591@E394' }]);
    expect(await findDigest(['233873459'])).toEqual([]);
    expect(await findNearDigests('233873459')).toMatchObject([{ digest: '2338734591@E394' }]);
  });

  it('is found in each app by looks into an index, whatever others begin with its number', async () => {
    const digests = ['71', '71@E1', '71@E2', '710', '7'];
    await post(...digests.map((digest) => createError({ digest, message: digest })));
    const blog = await ensureApp('blog');
    const posted = { key: blog.secretKey, app: 'blog' };
    await send(
      JSON.stringify({ errors: [createError({ digest: '71@E2' }), createError({ digest: '71@E30' })] }),
      posted,
    );
    const { db } = await openStore();
    const found = (await findDigest(['71'])).map(({ app, digest }) => `${app} ${digest}`).toSorted();
    expect(found).toEqual([
      expect.stringMatching(/^blog 71@E(?:2|30)$/),
      expect.stringMatching(/^shop 71(?:@E[12])?$/),
    ]);
    expect(await listSuffixed(db, 'trusted', '71')).toContain('71@E30');
    expect((await listAppsWith(db, 'trusted', '71@E2')).map(({ app }) => app)).toEqual(['blog', 'shop']);
    expect(await knowDigests('blog', digests)).toEqual(new Set(['71@E2']));
  });

  it('is found whatever another app has that is spelled like it', async () => {
    const blog = await ensureApp('blog');
    const own = ['88123@E394', 'pa-ge-9911'].map((digest) => createError({ digest, message: digest }));
    await send(JSON.stringify({ errors: own }), { key: blog.secretKey, app: 'blog' });
    const madeUp = Array.from({ length: 30 }, (_, at) => `88123@A${String(at).padStart(2, '0')}`);
    const others = [...madeUp, 'p-age-9911', 'pag-e9911'].map((digest) => createError({ digest, message: digest }));
    for (let at = 0; at < others.length; at += 8) await post(...others.slice(at, at + 8));
    for (const typed of ['88123', 'PAGE9911']) {
      expect((await findDigest([typed])).map(({ app }) => app).toSorted()).toEqual(['blog', 'shop']);
    }
  });

  it('of several apps is known in each of them', async () => {
    const blog = await ensureApp('blog');
    await post(createError({ time: Date.now() - 60_000 }));
    await send(JSON.stringify({ errors: [createError()] }), { app: 'blog', key: blog.secretKey });
    expect((await findDigest(['2338734591'])).map(({ app }) => app)).toEqual(['blog', 'shop']);
    expect((await findErrorDetails('2338734591', 'blog'))?.withDigest).toBe(1);
    expect((await findErrorDetails('2338734591', 'shop'))?.server?.app).toBe('shop');
    expect(await knowDigests('blog', ['2338734591', 'other'])).toEqual(new Set(['2338734591']));
    expect(await knowDigests('nobody', ['2338734591'])).toEqual(new Set());
  });

  it.each(['2338734951', '3338734591', '233873459', '23387344591', '2338734597'])(
    'is offered to somebody who typed %s',
    async (typed) => {
      await post(createError());
      expect(await findNearDigests(typed)).toMatchObject([{ digest: '2338734591', app: 'shop', path: '/orders/7' }]);
    },
  );

  it('is offered to somebody who heard other letters in several places', async () => {
    await post(createError({ digest: 'B5Z000000A' }));
    expect(await findNearDigests('8S2OO-OOOOA')).toMatchObject([{ digest: 'B5Z000000A' }]);
    await post(createError({ digest: 'AB00000B0A' }));
    expect(await findNearDigests('A8000-00B0A')).toMatchObject([{ digest: 'AB00000B0A' }]);
    await post(createError({ digest: 'B000000008' }));
    expect(await findNearDigests('80000-0000B')).toMatchObject([{ digest: 'B000000008' }]);
  });

  it('is offered for an app, though another app had it later', async () => {
    const blog = await ensureApp('blog');
    await post(createError({ time: Date.now() - 60_000 }));
    await send(JSON.stringify({ errors: [createError()] }), { app: 'blog', key: blog.secretKey });
    expect(await findNearDigests('2338734951')).toMatchObject([{ app: 'blog' }]);
    expect(await findNearDigests('2338734951', Date.now(), ['shop'])).toMatchObject([{ app: 'shop' }]);
    expect(await findNearDigests('2338734951', Date.now(), ['other'])).toEqual([]);
  });

  it('is not offered when it is not near, or too old, or empty', async () => {
    await post(createError(), createError({ digest: '1111111111', time: Date.now() - 8 * 86_400_000 }));
    expect(await findNearDigests('9999999999')).toEqual([]);
    expect(await findNearDigests('1111111112')).toEqual([]);
    expect(await findNearDigests('')).toEqual([]);
  });
});

describe('what is refused', () => {
  it.each([
    ['without a key', 401, 'wrong-key', { headers: { authorization: '' } }],
    ['with another key', 401, 'wrong-key', { key: '0'.repeat(32) }],
    ['with the public key', 401, 'wrong-key', 'public'],
    ['for an app that is not there', 401, 'wrong-key', { app: 'nobody' }],
    ['as a GET', 405, 'wrong-method', { method: 'GET' }],
    ['as a form', 415, 'unsupported-type', { headers: { 'content-type': 'text/plain' } }],
    ['packed', 415, 'unsupported-encoding', { headers: { 'content-encoding': 'gzip' } }],
    ['longer than a mebibyte', 413, 'body-too-large', { headers: { 'content-length': '1048577' } }],
  ] as const)('%s gets %i, and one line', async (_name, status, code, sent) => {
    const response = await send('{}', sent === 'public' ? { key: shop.publicKey } : sent);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code } });
    expect(lines).toMatchObject([{ event: 'request-refused', code, status }]);
  });

  it.each([
    ['nothing', '', /the body: /],
    ['no JSON', '{', /the body: /],
    ['no list', '{"errors":{}}', /^errors: /],
    ['an empty list', '{"errors":[]}', /^errors: /],
    ['too many', JSON.stringify({ errors: Array.from({ length: 21 }, () => createError()) }), /^errors: .*20/],
    [
      'a digest that nobody can type',
      JSON.stringify({ errors: [createError({ digest: 'a\u0007' })] }),
      /digest: .*64 printable/,
    ],
    ['a digest of 65 characters', JSON.stringify({ errors: [createError({ digest: 'x'.repeat(65) })] }), /digest/],
    ['a phase that is not known', JSON.stringify({ errors: [{ ...createError(), phase: 'party' }] }), /phase/],
    ['more parts than are parsed', `{"errors":[${'[],'.repeat(30_000)}[]]}`, /too many parts/],
  ])('%s is malformed, and the sender reads why', async (_name, body, reason) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'malformed-request' },
      reason: expect.stringMatching(reason),
    });
    expect(lines).toHaveLength(1);
  });

  it('is counted for the app, and not for one that nobody has', async () => {
    await send('{', {});
    await send('{}', { key: '0'.repeat(32) });
    await send('{}', { app: 'nobody' });
    const counted = await readRefusals('shop');
    expect(counted.map(({ reason, count: times }) => [reason, times]).toSorted()).toEqual([
      ['malformed-request', 1],
      ['wrong-key', 1],
    ]);
    expect(await readRefusals('nobody')).toEqual([]);
  });

  it('is printed too often, and what the app itself reports is taken', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const statuses = [];
    for (let n = 0; n < 32; n += 1) {
      const many = Array.from({ length: 20 }, () => createError({ reporter: 'log', digest: undefined }));
      statuses.push((await post(...many)).status);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect((await post(createError())).status).toBe(200);
  });

  it('comes too often: one app gets 429 with a time, another does not', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const blog = await ensureApp('blog');
    const statuses = [];
    // 600 errors at once: 29 requests of 20 and one for each of the last 20.
    for (let n = 0; n < 29; n += 1) {
      const many = Array.from({ length: 20 }, () => createError({ digest: undefined }));
      statuses.push((await post(...many)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (let n = 0; n < 21; n += 1) statuses.push((await send('{')).status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(20);
    const refused = await send('{');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await send('{', { app: 'blog', key: blog.secretKey })).status).toBe(400);
  });

  it('cannot be stored: 503 with a time, and nothing is remembered of it', async () => {
    const error = createError();
    const store = await openStore();
    const full = vi.spyOn(store, 'measureFill').mockReturnValue(0.9);
    const refused = await post(error);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    full.mockRestore();
    // The room is looked at once per turn.
    await nextTurn();
    // PostgreSQL has a spool for what its queue does not take (053).
    if (!dialectOf(store.db).isRemote) {
      const queue = vi.spyOn(store, 'commit').mockResolvedValueOnce('queue-full');
      expect((await post(error)).status).toBe(503);
      queue.mockRestore();
    }
    expect(await (await post(error)).json()).toEqual({ received: 1, added: 1 });
  });
});

it('lets other addresses pass, and keeps a file from standing at its own', async () => {
  for (const address of ['/api/shop/flights', '/api/shop/errors/', '/api/Shop/errors', '/x/api/shop/errors', '/']) {
    expect((await server.request(`http://recorder.test${address}`, { method: 'POST' })).status).toBe(404);
  }
  expect(isAppErrorsPath('/api/shop/errors')).toBe(true);
  expect(isAppErrorsPath('/api/flight-recorder/errors')).toBe(false);
});

import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useOperator } from '#src/access/testing/use-operator.ts';
import { addApp } from '#src/apps/apps.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import type { ChannelRules } from './channel.ts';
import {
  addChannel,
  listChannels,
  listDeliveries,
  pauseChannel,
  removeChannel,
  sendAgain,
  testChannel,
} from './channels.ts';
import { deriveAlerts } from './derive-alerts.ts';
import type { ChannelDraft } from './parse-channel-form.ts';
import { createDeliverer, type Deliverer } from './send-deliveries.ts';
import { hourMs } from './weigh-faults.ts';

useOperator();

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

let folder: string;
let store: Store;
let deliverer: Deliverer;
let receiver: Server;
let url: string;
let received: Received[];
/** What the receiver answers. */
let status: number;
/** The clock. It stands still, in the middle of an hour. */
let now: number;

const start = Date.UTC(2030, 0, 1, 12, 10);

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-alerts-'));
  vi.stubEnv('FLIGHT_DATA', folder);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.useFakeTimers({ toFake: ['Date'] });
  setTime(start);
  received = [];
  status = 200;
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status, { location: '/elsewhere' }).end('what the receiver says');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${portOf(receiver)}/hook/T0123456789?token=abcdefghij`;
  store = await openStore();
  deliverer = createDeliverer(store);
});

afterEach(async () => {
  await deliverer.stop();
  await store.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return address.port;
}

function setTime(time: number): void {
  now = time;
  vi.setSystemTime(time);
}

const rules: ChannelRules = {
  new: true,
  back: true,
  volume: null,
  slow: null,
  apps: null,
  untrusted: false,
  inside: true,
};

async function addHook(parts: Partial<ChannelDraft> = {}, ruled: Partial<ChannelRules> = {}) {
  const draft = { name: 'On call', kind: 'webhook', target: url, rules: { ...rules, ...ruled }, ...parts } as const;
  const added = await addChannel(draft);
  if (typeof added === 'string') throw new Error(`it was not added: ${added}`);
  return added;
}

let activities = 0;

type Given = {
  readonly id: string;
  readonly app?: string;
  readonly side?: 'server' | 'browser';
  readonly count?: number;
};

/** As src/faults/grouping stores an error of a fault, the first or another. */
async function occur({ id, app = 'flight-recorder', side = 'server', count = 1 }: Given, db = store.db): Promise<void> {
  const counts = side === 'server' ? { count, untrusted: 0 } : { count: 0, untrusted: count };
  const words = { name: 'TypeError', message: 'no basket', culprit: 'src/cart.ts · addItem', level: 'error' } as const;
  const times = { first_time: now, last_time: now, first_release: 'r1', last_release: 'r1' };
  const state = { state: 'open', state_json: '{}', state_time: now, unseen: 'new', merged_into: null } as const;
  const hour = Math.floor(now / hourMs) * hourMs;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('fault')
    .values({ id, app, side, ...words, ...times, ...state, ...counts })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) {
    await db
      .updateTable('fault')
      .set(({ eb }) => ({
        count: eb('count', '+', counts.count),
        untrusted: eb('untrusted', '+', counts.untrusted),
        last_time: Date.now(),
      }))
      .where('id', '=', id)
      .execute();
  } else {
    await activity(id, 'first-seen', app, db);
    const kind = { rule: 'message', algorithm: 1, parts_json: '[]', side, ...times } as const;
    const hash = { app, hash: `hash-${id}`, fault: id, ...kind };
    await db.insertInto('fault_hash').values(hash).execute();
  }
  await db
    .insertInto('fault_hour')
    .values({ app, hash: `hash-${id}`, hour, ...counts })
    .onConflict((conflict) =>
      conflict.columns(['app', 'hash', 'hour']).doUpdateSet(({ eb }) => ({
        count: eb('fault_hour.count', '+', counts.count),
        untrusted: eb('fault_hour.untrusted', '+', counts.untrusted),
      })),
    )
    .execute();
}

async function activity(
  fault: string,
  type: 'first-seen' | 'regressed' | 'confirmed' | 'resolved',
  app = 'flight-recorder',
  db = store.db,
) {
  activities += 1;
  const id = `${now.toString(16).padStart(12, '0')}${activities.toString(16).padStart(8, '0')}`;
  const row = {
    id,
    fault,
    app,
    time: now,
    type,
    by: 'system',
    error: null,
    detail_json: '{}',
    undone: null,
  } as const;
  await db.insertInto('fault_activity').values(row).execute();
}

async function derive(looksAtVolume = false): Promise<void> {
  while (await deriveAlerts(store, now, looksAtVolume)) looksAtVolume = false;
}

/** What a look of the timer does, until all is sent. */
async function look(looksAtVolume = false): Promise<void> {
  await derive(looksAtVolume);
  await deliverer.sendDue(now);
  await deliverer.settle();
}

function bodies(): unknown[] {
  return received.map(({ body }): unknown => JSON.parse(body));
}

describe('a new fault', () => {
  it('is told once, signed, with what is known of it and the address of its page', async () => {
    const { secret } = await addHook();
    await occur({ id: 'f1' });
    await look();
    await look();
    expect(received).toHaveLength(1);
    const body = received[0]?.body ?? '';
    const headers = received[0]?.headers ?? {};
    expect(JSON.parse(body)).toEqual({
      type: 'fault.new',
      delivery: headers['x-flight-delivery'],
      time: new Date(now).toISOString(),
      fault: {
        id: 'f1',
        app: { id: 'flight-recorder', name: 'Flight Recorder' },
        side: 'server',
        name: 'TypeError',
        message: 'no basket',
        culprit: 'src/cart.ts · addItem',
        level: 'error',
        environment: '',
        page: '',
        release: 'r1',
        digest: null,
        count: 1,
        untrusted: 0,
        users: 0,
        first: new Date(now).toISOString(),
        last: new Date(now).toISOString(),
        url: 'http://127.0.0.1:3000/faults/f1',
      },
      more: null,
      inHour: null,
    });
    const seconds = Math.floor(now / 1000);
    const expected = createHmac('sha256', secret ?? '')
      .update(`${seconds}.${body}`)
      .digest('hex');
    expect(headers['x-flight-signature']).toBe(`t=${seconds},v1=${expected}`);
    expect(await listDeliveries()).toMatchObject([
      { channel: 'On call', state: 'sent', attempts: 1, answer: 'status 200' },
    ]);
  });

  it('is told by the next process when this one ends in between', async () => {
    await addHook();
    await occur({ id: 'f1' });
    await store.close();
    store = await openStore();
    await derive();
    await store.close();
    store = await openStore();
    deliverer = createDeliverer(store);
    await look();
    await look();
    expect(bodies()).toMatchObject([{ type: 'fault.new', fault: { id: 'f1' } }]);
  });

  it('is not told to a channel that was added later, is paused, or wants other apps', async () => {
    await addApp('Shop');
    await occur({ id: 'f1' });
    setTime(now + 1);
    const { id } = await addHook({}, { apps: ['shop'] });
    await look();
    await occur({ id: 'f2' });
    await look();
    expect(received).toEqual([]);
    await pauseChannel(id, true);
    await occur({ id: 'f3', app: 'shop' });
    await look();
    await pauseChannel(id, false);
    await look();
    expect(received).toEqual([]);
    await occur({ id: 'f4', app: 'shop' });
    await look();
    expect(bodies()).toMatchObject([{ fault: { id: 'f4', app: { id: 'shop', name: 'Shop' } } }]);
  });

  it('that only browsers reported is told where that was chosen', async () => {
    await addHook({ name: 'a' });
    await addHook({ name: 'b', target: `${url}&untrusted` }, { untrusted: true });
    await occur({ id: 'f1', side: 'browser' });
    await look();
    expect(received.map((one) => one.path.endsWith('untrusted'))).toEqual([true]);
    expect(bodies()).toMatchObject([{ fault: { side: 'browser', count: 0, untrusted: 1 } }]);
  });

  it('is told when a server confirms what browsers reported first, to whoever has not heard of it', async () => {
    await addHook({ name: 'a' });
    await addHook({ name: 'b', target: `${url}&untrusted` }, { untrusted: true });
    await occur({ id: 'f1', side: 'browser' });
    await look(true);
    expect(received.map((one) => one.path.endsWith('untrusted'))).toEqual([true]);
    setTime(now + hourMs);
    await store.db.updateTable('fault').set({ side: 'server', count: 1, last_time: now }).execute();
    await look(true);
    await look(true);
    expect(received.map((one) => one.path.endsWith('untrusted'))).toEqual([true, false]);
    expect(bodies().at(-1)).toMatchObject({ type: 'fault.new', fault: { side: 'server', count: 1, untrusted: 1 } });
  });

  it('is told to all when a server confirms what was muted as untrusted, once', async () => {
    await addHook({ name: 'a' });
    await addHook({ name: 'b', target: `${url}&untrusted` }, { untrusted: true });
    await occur({ id: 'f1', side: 'browser' });
    await look();
    setTime(now + hourMs);
    await store.db.updateTable('fault').set({ side: 'server', count: 1, last_time: now }).execute();
    await activity('f1', 'confirmed');
    for (let at = 0; at < 2; at += 1) await look(true);
    expect(received.map((one) => one.path.endsWith('untrusted')).toSorted()).toEqual([false, true, true]);
    setTime(now + hourMs);
    await look(true);
    expect(received).toHaveLength(3);
  });

  it('is not told when somebody muted it before', async () => {
    await addHook();
    await occur({ id: 'f1' });
    await store.db.updateTable('fault').set({ state: 'muted' }).execute();
    await look();
    expect(received).toEqual([]);
  });
});

describe('what a channel wants', () => {
  it('is only what was chosen', async () => {
    await addHook({ target: `${url}&new` }, { back: false });
    await addHook({ target: `${url}&back` }, { new: false });
    await occur({ id: 'f1' });
    await look();
    setTime(now + hourMs);
    await activity('f1', 'resolved');
    await activity('f1', 'regressed');
    await look();
    expect(received.map((one) => one.path.split('&')[1])).toEqual(['new', 'back']);
    expect(bodies()).toMatchObject([{ type: 'fault.new' }, { type: 'fault.regressed' }]);
  });

  it('counts an hour against its own threshold, above it, once, with untrusted errors where those were chosen', async () => {
    await addHook({ target: `${url}&10` }, { new: false, volume: 10 });
    await addHook({ target: `${url}&12` }, { new: false, volume: 12, untrusted: true });
    await occur({ id: 'f1', count: 10 });
    await occur({ id: 'f1', side: 'browser', count: 2 });
    await look(true);
    expect(received).toEqual([]);
    await occur({ id: 'f1' });
    await look(true);
    await look(true);
    expect(received.map((one) => one.path.split('&')[1]).toSorted()).toEqual(['10', '12']);
    expect(bodies().toSorted()).toMatchObject([{ type: 'fault.volume' }, { type: 'fault.volume' }]);
    expect(received.map(({ body }) => /"inHour":(\d+)/.exec(body)?.[1]).toSorted()).toEqual(['11', '13']);
    // The next hour is counted anew, and the same fault is told again.
    setTime(now + hourMs);
    await occur({ id: 'f1', count: 5 });
    await look(true);
    expect(received).toHaveLength(2);
    await occur({ id: 'f1', count: 8 });
    await look(true);
    expect(received).toHaveLength(4);
  });

  it('tells a channel nothing of a fault that has been quiet since it was added', async () => {
    await occur({ id: 'f1', count: 20 });
    setTime(now + 60_000);
    await addHook({ target: `${url}&late` }, { new: false, volume: 10 });
    await look(true);
    expect(received).toEqual([]);
    setTime(now + 61_000);
    await occur({ id: 'f1' });
    await look(true);
    expect(bodies()).toMatchObject([{ type: 'fault.volume' }]);
  });

  it('counts the faults of one app however many louder ones another has', async () => {
    await addHook({}, { new: false, volume: 10 });
    await store.transact(async (trx) => {
      for (let index = 0; index < 250; index += 1) await occur({ id: `loud${index}`, app: 'loud', count: 1_000 }, trx);
      await occur({ id: 'quiet', app: 'quiet', count: 11 }, trx);
    });
    await look(true);
    expect(bodies().some((body) => /"type":"fault.volume".*"id":"quiet"/.test(JSON.stringify(body)))).toBe(true);
  });
});

describe('a channel', () => {
  it('gets one message a fault and hour, and then what was held back', async () => {
    await addHook();
    await occur({ id: 'f1' });
    await look();
    setTime(now + 30 * 60_000);
    await activity('f1', 'regressed');
    await occur({ id: 'f1', count: 240 });
    await look();
    setTime(now + 30 * 60_000 - 1);
    await look();
    expect(received).toHaveLength(1);
    setTime(now + 1);
    await look();
    await look();
    expect(bodies().slice(1)).toMatchObject([{ type: 'fault.regressed', more: 240, fault: { count: 241 } }]);
    expect(received).toHaveLength(2);
  });

  it('is not told what was held when the fault was resolved meanwhile', async () => {
    await addHook();
    await occur({ id: 'f1' });
    await look();
    setTime(now + 60_000);
    await activity('f1', 'regressed');
    await look();
    await store.db.updateTable('fault').set({ state: 'resolved' }).execute();
    setTime(now + hourMs);
    await look();
    await store.db.updateTable('fault').set({ state: 'open' }).execute();
    await look();
    expect(received).toHaveLength(1);
  });

  it('gets ten messages and a summary of a thousand new faults, and one summary a minute of what follows', async () => {
    await addHook();
    await store.transact(async (trx) => {
      for (let count = 0; count < 1_000; count += 1) await occur({ id: `f${count}` }, trx);
    });
    await look();
    expect(
      bodies()
        .slice(0, 10)
        .map((body) => JSON.stringify(body).slice(0, 19)),
    ).toEqual(Array.from({ length: 10 }, () => '{"type":"fault.new"'));
    expect(bodies().slice(10)).toMatchObject([
      { type: 'faults.more', count: 990, reasons: { new: 990 }, named: [{}, {}, {}] },
    ]);
    const told = new Set(bodies().map((body) => /"id":"(f\d+)"/.exec(JSON.stringify(body))?.[1]));
    expect(told.size).toBe(11);
    setTime(now + 59_999);
    await occur({ id: 'g1' });
    await look();
    setTime(now + 1);
    await look();
    const summaries = bodies().slice(10);
    expect(summaries).toMatchObject([
      { type: 'faults.more', url: 'http://127.0.0.1:3000/faults' },
      { type: 'faults.more' },
    ]);
    const counts = summaries.map((body) => Number(/"count":(\d+)/.exec(JSON.stringify(body))?.[1]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(991);
    expect(summaries.at(-1)).toMatchObject({
      count: 1,
      named: [{ id: 'g1', app: { id: expect.any(String) }, url: 'http://127.0.0.1:3000/faults/g1' }],
    });
    // After the minute there is room for single ones again.
    setTime(now + 60_000);
    await occur({ id: 'g2' });
    await look();
    expect(bodies().at(-1)).toMatchObject({ type: 'fault.new', fault: { id: 'g2' } });
  });
});

describe('a receiver that is down', () => {
  it('is tried again after 1, 5, 30 and 120 minutes, and then no more', async () => {
    await addHook();
    status = 503;
    await occur({ id: 'f1' });
    await look();
    expect(await listDeliveries()).toMatchObject([
      { state: 'waiting', attempts: 1, answer: 'status 503: what the receiver says', nextTime: now + 60_000 },
    ]);
    for (const [minutes, tried] of [
      [1, 2],
      [5, 3],
      [30, 4],
      [120, 5],
    ] as const) {
      setTime(now + minutes * 60_000 - 1);
      await look();
      expect(received).toHaveLength(tried - 1);
      setTime(now + 1);
      await look();
      expect(received).toHaveLength(tried);
    }
    expect(new Set(received.map(({ headers }) => headers['x-flight-delivery'])).size).toBe(1);
    expect(await listDeliveries()).toMatchObject([{ state: 'given-up', attempts: 5 }]);
    setTime(now + 100 * hourMs);
    await look();
    expect(received).toHaveLength(5);
    // By hand it goes on.
    status = 200;
    const [delivery] = await listDeliveries();
    expect(await sendAgain(delivery?.id ?? '')).toEqual({ isSent: true, answer: 'status 200' });
    expect(await listDeliveries()).toMatchObject([{ state: 'sent', attempts: 6 }]);
  });

  it('gets its message when it is back', async () => {
    await addHook();
    status = 500;
    await occur({ id: 'f1' });
    await look();
    status = 204;
    setTime(now + 60_000);
    await look();
    expect(await listDeliveries()).toMatchObject([{ state: 'sent', attempts: 2, answer: 'status 204' }]);
  });

  it('does not keep another channel waiting', async () => {
    await addHook({ name: 'down', target: 'http://127.0.0.1:1/' });
    await addHook({ name: 'up' });
    await occur({ id: 'f1' });
    await look();
    const states = (await listDeliveries()).map(({ channel, state }) => [channel, state]);
    expect(states.toSorted()).toEqual([
      ['down', 'waiting'],
      ['up', 'sent'],
    ]);
  });
});

describe('what waits', () => {
  async function countWaiting(): Promise<number> {
    const rows = await store.db.selectFrom('alert_delivery').select('id').where('state', '=', 'waiting').execute();
    return rows.length;
  }

  it('is at most a hundred messages, and a summary when there is room again', async () => {
    await addHook();
    for (let minute = 0; minute < 12; minute += 1) {
      for (let count = 0; count < 10; count += 1) await occur({ id: `f${minute}-${count}` });
      await derive();
      setTime(now + 60_001);
    }
    expect(await countWaiting()).toBe(100);
    await look();
    await look();
    expect(received).toHaveLength(101);
    expect(bodies().at(-1)).toMatchObject({ type: 'faults.more', count: 20 });
  });

  it('is not sent while the channel is paused', async () => {
    const { id } = await addHook();
    await occur({ id: 'f1' });
    await derive();
    await pauseChannel(id, true);
    await look();
    expect(received).toHaveLength(0);
    await pauseChannel(id, false);
    await look();
    expect(received).toHaveLength(1);
  });

  it('is sent once when two want to send it at the same time', async () => {
    await addHook();
    await occur({ id: 'f1' });
    await derive();
    const [delivery] = await listDeliveries();
    const id = delivery?.id ?? '';
    const answer = Promise.withResolvers<void>();
    const listeners = receiver.listeners('request');
    receiver.removeAllListeners('request');
    receiver.on('request', (...asked) => {
      void answer.promise.then(() => listeners.forEach((listener) => Reflect.apply(listener, receiver, asked)));
    });
    const both = [sendAgain(id), sendAgain(id)];
    // The receiver has not answered the other one.
    expect(await Promise.race(both)).toBeUndefined();
    answer.resolve();
    expect((await Promise.all(both)).filter((sent) => sent === undefined)).toHaveLength(1);
    expect(received).toHaveLength(1);
  });

  it('and is being sent when the server stops is left to the next one, as if not tried', async () => {
    receiver.removeAllListeners('request');
    const asked = new Promise((resolve) => {
      receiver.on('request', resolve);
    });
    await addHook();
    await occur({ id: 'f1' });
    await derive();
    await deliverer.sendDue(now);
    await asked;
    await deliverer.stop();
    expect(await listDeliveries()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
  });

  it('is nothing of a turn that was undone', async () => {
    await addHook();
    await occur({ id: 'f1' });
    await store.db.updateTable('fault_activity').set({ undone: now }).execute();
    await look();
    expect(received).toEqual([]);
  });
});

describe('a test of a channel', () => {
  it('says what happened, stands in the log, and is not tried again', async () => {
    const { id } = await addHook();
    expect(await testChannel(id)).toEqual({ isSent: true, answer: 'status 200' });
    status = 302;
    expect(await testChannel(id)).toEqual({
      isSent: false,
      answer: 'status 302, a redirect, which is not followed: what the receiver says',
    });
    expect(received).toHaveLength(2);
    setTime(now + 3 * hourMs);
    await look();
    expect(received).toHaveLength(2);
    expect(bodies()).toMatchObject([{ type: 'test' }, { type: 'test' }]);
    const log = await listDeliveries();
    expect(log.map(({ state, content }) => [state, content.type]).toSorted()).toEqual([
      ['given-up', 'test'],
      ['sent', 'test'],
    ]);
  });

  it('of one that may not reach addresses inside says so, whatever leads there', async () => {
    const port = portOf(receiver);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      const { id } = await addHook({ name: host, target: `http://${host}:${port}/` }, { inside: false });
      const sent = await testChannel(id);
      expect(sent?.isSent, host).toBe(false);
      expect(sent?.answer, host).toMatch(/is an address inside/);
    }
    expect(received).toEqual([]);
  });
});

it('a message that this server itself refuses to send is given up at once', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    await addHook({ name: host, target: `http://${host}:${portOf(receiver)}/` }, { inside: false });
  }
  await occur({ id: 'f1' });
  await look();
  expect(await listDeliveries()).toMatchObject([
    { state: 'given-up', attempts: 1, answer: expect.stringContaining('is an address inside') },
    { state: 'given-up', attempts: 1, answer: expect.stringContaining('is an address inside') },
  ]);
});

it('a message that cannot be written is given up, and the next of its channel is sent', async () => {
  await addHook();
  await occur({ id: 'f1' });
  await derive();
  await store.db.updateTable('alert_delivery').set({ content_json: '{"type":"fault"}' }).execute();
  setTime(now + 1_000);
  await occur({ id: 'f2' });
  await look();
  await look();
  const { rows } = await sql<{ state: string; answer: string }>`
    select state, answer from alert_delivery order by id`.execute(store.db);
  expect(rows).toEqual([
    { state: 'given-up', answer: expect.stringMatching(/^it could not be written: /) },
    { state: 'sent', answer: 'status 200' },
  ]);
  expect(received).toHaveLength(1);
});

it('a message has the digest, the environment and the page of the error that was its reason', async () => {
  const row = {
    id: 'e1',
    side: 'server',
    app: 'shop',
    fingerprint: 'p',
    time: now,
    received_at: now,
    phase: 'unknown',
    kind: 'unknown',
    method: '',
  } as const;
  const place = { path: '/cart/7', route: '/cart/[id]', request_id: '', trace_id: '', release: '' };
  const words = { name: 'Error', message: 'm', stack: '', frames_json: '[]', causes_json: '[]', digest: '3F7K2M9QRT' };
  const rest = { environment: 'staging', component_stack: null, fault: null, user_key: null };
  await store.db
    .insertInto('event')
    .values({ ...row, ...place, ...words, ...rest })
    .execute();
  await addHook();
  await occur({ id: 'f1' });
  await store.db.updateTable('fault_activity').set({ error: 'e1' }).execute();
  await look();
  expect(bodies()).toMatchObject([{ fault: { digest: '3F7K2M9QRT', environment: 'staging', page: '/cart/[id]' } }]);
});

it('a channel of the same name, kind and address is not added twice', async () => {
  const draft = { name: 'On call', kind: 'webhook', target: url, rules } as const;
  expect(await addChannel(draft)).toMatchObject({ id: expect.any(String) });
  expect(await addChannel({ ...draft, rules: { ...rules, new: false } })).toBe('same');
  expect(await addChannel({ ...draft, name: 'Another' })).toMatchObject({ id: expect.any(String) });
  expect(await addChannel({ ...draft, kind: 'slack' })).toMatchObject({ id: expect.any(String) });
  expect(await addChannel({ ...draft, target: `${url}2` })).toMatchObject({ id: expect.any(String) });
});

describe('what is shown of a channel', () => {
  it('holds neither its secret nor the rest of its address', async () => {
    const { secret } = await addHook();
    const shown = await listChannels();
    expect(shown).toMatchObject([{ target: `${new URL(url).origin}/…ghij`, isSigned: true }]);
    const text = JSON.stringify(shown);
    for (const hidden of [secret ?? 'none', 'T0123456789', 'abcdefghij']) expect(text).not.toContain(hidden);
  });

  it('is gone with its messages when it is removed', async () => {
    const { id } = await addHook();
    await occur({ id: 'f1' });
    await derive();
    expect(await removeChannel(id)).toBe(true);
    expect(await removeChannel(id)).toBe(false);
    await look();
    expect([await listChannels(), await listDeliveries(), received]).toEqual([[], [], []]);
  });
});

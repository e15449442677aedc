import 'server-only';

import { randomBytes } from 'node:crypto';

import { requireOperator } from '#src/access/require-operator.ts';
import { openStore, type Store } from '#src/store/open-store.ts';

import { toChannel, type Channel } from './channel.ts';
import { findChannelKind } from './kinds/channel-kinds.ts';
import { readContent, type AlertContent } from './message.ts';
import type { ChannelDraft } from './parse-channel-form.ts';
import type { Sent } from './post-message.ts';
import { attemptDelivery } from './send-deliveries.ts';
import { addDelivery } from './store-alerts.ts';

/** What the operator does with channels, and sees of them. */

/** Each costs a look at every fault. Nobody was seen with more than a few. */
const channelsLimit = 20;
const deliveriesShown = 50;

/** A channel as it may be shown: without its secret, and without the rest of its address. */
export type ShownChannel = Omit<Channel, 'secret' | 'target'> & {
  readonly target: string;
  /** What its kind is called. */
  readonly label: string;
  readonly isSigned: boolean;
  readonly waiting: number;
};

export type ShownDelivery = {
  readonly id: string;
  /** Undefined when the channel was removed. */
  readonly channel: string | undefined;
  readonly content: AlertContent;
  readonly state: 'waiting' | 'sent' | 'given-up';
  readonly attempts: number;
  readonly nextTime: number;
  readonly lastTime: number | undefined;
  readonly answer: string;
};

async function findChannel({ db }: Store, id: string): Promise<Channel | undefined> {
  const row = await db.selectFrom('alert_channel').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toChannel(row);
}

/** Lists the channels by name. */
export async function listChannels(): Promise<readonly ShownChannel[]> {
  requireOperator();
  const { db } = await openStore();
  const rows = await db.selectFrom('alert_channel').selectAll().orderBy('name').orderBy('id').execute();
  const waiting = await db
    .selectFrom('alert_delivery')
    .select(['channel', ({ fn }) => fn.countAll<number>().as('count')])
    .where('state', '=', 'waiting')
    .groupBy('channel')
    .execute();
  const counts = new Map(waiting.map(({ channel, count }) => [channel, count]));
  return rows.map(toChannel).map(({ secret, ...channel }) => ({
    ...channel,
    target: findChannelKind(channel.kind)?.describeTarget(channel.target) ?? '',
    label: findChannelKind(channel.kind)?.label ?? channel.kind,
    isSigned: secret !== undefined,
    waiting: counts.get(channel.id) ?? 0,
  }));
}

/** The latest first. */
export async function listDeliveries(): Promise<readonly ShownDelivery[]> {
  requireOperator();
  const { db } = await openStore();
  const rows = await db
    .selectFrom('alert_delivery')
    .leftJoin('alert_channel', 'alert_channel.id', 'alert_delivery.channel')
    .selectAll('alert_delivery')
    .select('alert_channel.name')
    .orderBy('alert_delivery.id', 'desc')
    .limit(deliveriesShown)
    .execute();
  return rows.map(({ id, name, content_json: content, state, attempts, answer, ...times }) => ({
    id,
    state,
    attempts,
    answer,
    channel: name ?? undefined,
    content: readContent(content),
    nextTime: times.next_time,
    lastTime: times.last_time ?? undefined,
  }));
}

export type AddedChannel = {
  readonly id: string;
  /** With which messages are signed; undefined where they are not. It is shown this once. */
  readonly secret: string | undefined;
};

/** `same`: a channel of this name and address is there; every message would come twice, and nobody could tell the two apart. */
export async function addChannel(draft: ChannelDraft): Promise<AddedChannel | 'too-many' | 'same'> {
  requireOperator();
  const store = await openStore();
  const isSigned = findChannelKind(draft.kind)?.isSigned === true;
  const secret = isSigned ? `whsec_${randomBytes(32).toString('base64url')}` : undefined;
  const id = randomBytes(8).toString('hex');
  const { name, kind, target, rules } = draft;
  return store.transact(async (trx) => {
    const there = await trx.selectFrom('alert_channel').select(['name', 'kind', 'target']).execute();
    if (there.some((one) => one.name === name && one.kind === kind && one.target === target)) return 'same';
    if (there.length >= channelsLimit) return 'too-many';
    const rulesJson = JSON.stringify(rules);
    await trx
      .insertInto('alert_channel')
      .values({ id, name, kind, target, secret: secret ?? null, rules_json: rulesJson, created: Date.now() })
      .execute();
    return { id, secret };
  });
}

/** Removes a channel with what it knows and what waits for it. @returns whether it was there */
export async function removeChannel(id: string): Promise<boolean> {
  requireOperator();
  const store = await openStore();
  return store.transact(async (trx) => {
    const { numDeletedRows } = await trx.deleteFrom('alert_channel').where('id', '=', id).executeTakeFirst();
    await trx.deleteFrom('alert_sent').where('channel', '=', id).execute();
    await trx.deleteFrom('alert_delivery').where('channel', '=', id).execute();
    return numDeletedRows > 0n;
  });
}

/** While it is paused it is told nothing, and what waits for it is not sent. @returns whether it is there */
export async function pauseChannel(id: string, isPaused: boolean): Promise<boolean> {
  requireOperator();
  const { db } = await openStore();
  const { numUpdatedRows } = await db
    .updateTable('alert_channel')
    .set({ paused: isPaused ? Date.now() : null })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Sends one message of the log now, for a person who waits. Undefined: it is gone, or being sent already. */
async function sendNow(store: Store, id: string): Promise<Sent | undefined> {
  const { db } = store;
  const delivery = await db.selectFrom('alert_delivery').selectAll().where('id', '=', id).executeTakeFirst();
  const channel = delivery && (await findChannel(store, delivery.channel));
  return channel && attemptDelivery(store, channel, delivery, new AbortController().signal);
}

/** Sends a test once: it is not tried again. Undefined when there is no such channel. */
export async function testChannel(id: string): Promise<Sent | undefined> {
  requireOperator();
  const store = await openStore();
  if (!(await findChannel(store, id))) return undefined;
  const now = Date.now();
  // As if given up: the timer leaves it alone.
  const delivery = await addDelivery(store.db, id, { type: 'test', time: now }, { state: 'given-up', next_time: now });
  return sendNow(store, delivery);
}

/** Sends a message of the log once more, now; if that fails, it goes on as before. */
export async function sendAgain(id: string): Promise<Sent | undefined> {
  requireOperator();
  return sendNow(await openStore(), id);
}

import 'server-only';

import type { Selectable, Transaction } from 'kysely';

import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { readAppNames } from './app-names.ts';
import { toChannel, type Channel } from './channel.ts';
import { countSummed, nothingSummed, readSummed } from './message.ts';
import {
  alertedAsUntrusted,
  readConfirmed,
  readHeld,
  readOften,
  readActivities,
  activitiesAtOnce,
  type Activities,
} from './read-outbox.ts';
import {
  addDelivery,
  countDeliveries,
  countInHour,
  listToldApps,
  readFaultContent,
  readNamed,
  readSent,
  sentKey,
  writeSent,
} from './store-alerts.ts';
import { hourMs, weigh, type Happening, type Room, type Sent } from './weigh-faults.ts';

/**
 * Makes messages of what happened to faults. One pass takes turns out of the outbox, decides for each channel, and stores the
 * messages, in one transaction: so a process that ends at any moment neither loses a turn nor makes its message twice. Sending
 * is somebody else's work (send-deliveries.ts).
 */

/** A person reads so many in a minute. Slack takes one a second. */
const messagesAMinute = 10;
const minuteMs = 60_000;
/** A receiver that is down for long gets these, and a summary of the rest. */
const waitingKept = 100;
/** For what a server has confirmed: a server that was down for an hour has received nothing meanwhile. */
const lookBackMs = hourMs;
const noActivities: Activities = { ids: [], untrusted: [], happenings: [] };

type State = {
  readonly channel: Channel;
  readonly room: Room;
  readonly hadSummed: number;
  readonly summedAt: number;
  readonly isFull: boolean;
};

async function readState(
  trx: Transaction<Tables>,
  row: Selectable<Tables['alert_channel']>,
  now: number,
): Promise<State> {
  const { recent, waiting } = await countDeliveries(trx, row.id, now - minuteMs);
  const apps = await listToldApps(trx, row.id, now - minuteMs);
  const summed = readSummed(row.held_json);
  return {
    channel: toChannel(row),
    room: {
      messages: Math.min(messagesAMinute - recent, waitingKept - waiting),
      firsts: Math.min(2 * messagesAMinute - recent, waitingKept - waiting),
      apps: new Set(apps),
      summed,
    },
    hadSummed: countSummed(summed),
    summedAt: row.summed_at,
    isFull: waiting >= waitingKept,
  };
}

type Pass = { readonly now: number; readonly names: ReadonlyMap<string, string>; readonly sent: Map<string, Sent> };

async function tellChannel(trx: Transaction<Tables>, state: State, happening: Happening, pass: Pass): Promise<void> {
  const { channel, room } = state;
  const { fault, reason } = happening;
  const key = sentKey(channel.id, fault.id);
  const known = pass.sent.get(key);
  const verdict = weigh(channel, happening, known, room, pass.now);
  if (verdict.type === 'ignore') {
    // What was held for this channel is of no interest any more.
    if (known && happening.heldBy === channel.id) await writeSent(trx, channel.id, fault.id, { ...known, held: null });
    return;
  }
  pass.sent.set(key, verdict.sent);
  await writeSent(trx, channel.id, fault.id, verdict.sent);
  if (verdict.type !== 'tell') return;
  const content = {
    type: 'fault',
    reason,
    time: pass.now,
    fault: await readFaultContent(trx, happening, pass.names),
    more: verdict.more,
    inHour: countInHour(happening, channel),
  } as const;
  await addDelivery(trx, channel.id, content, { state: 'waiting', next_time: pass.now });
}

/** One summary a minute, of what there was no room for. @param isLast whether the outbox is read to its end */
async function sumUp(
  trx: Transaction<Tables>,
  state: State,
  { now, names }: Pick<Pass, 'now' | 'names'>,
  isLast: boolean,
): Promise<void> {
  const { channel, room, hadSummed, summedAt, isFull } = state;
  const count = countSummed(room.summed);
  const hasPassed = summedAt > now || now - summedAt >= minuteMs;
  if (isLast && count > 0 && hasPassed && channel.paused === undefined && !isFull) {
    const named = await readNamed(trx, room.summed.first, names);
    const content = { type: 'summary', time: now, faults: room.summed, named } as const;
    await addDelivery(trx, channel.id, content, { state: 'waiting', next_time: now });
    await trx
      .updateTable('alert_channel')
      .set({ held_json: JSON.stringify(nothingSummed), summed_at: now })
      .where('id', '=', channel.id)
      .execute();
  } else if (count !== hadSummed) {
    const held = JSON.stringify(room.summed);
    await trx.updateTable('alert_channel').set({ held_json: held }).where('id', '=', channel.id).execute();
  }
}

async function markRead(trx: Transaction<Tables>, { ids, untrusted }: Activities, now: number): Promise<void> {
  const isUntrusted = new Set(untrusted);
  for (const id of ids) {
    const alerted = isUntrusted.has(id) ? alertedAsUntrusted : now;
    await trx.updateTable('fault_activity').set({ alerted }).where('id', '=', id).execute();
  }
}

/** The lowest number of errors within an hour that some channel wants to know. */
function findThreshold(channels: readonly Channel[]): number | undefined {
  const thresholds = channels.flatMap(({ rules, paused }) =>
    paused === undefined && rules.volume !== null ? [rules.volume] : [],
  );
  return thresholds.length > 0 ? Math.min(...thresholds) : undefined;
}

/** Whether a pass would find something to do: most find nothing, and need no transaction. */
async function isDue({ db }: Store, now: number): Promise<boolean> {
  const activity = await db
    .selectFrom('fault_activity')
    .select('id')
    .where('alerted', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (activity) return true;
  if ((await readHeld(db, now)).length > 0) return true;
  const rows = await db.selectFrom('alert_channel').select(['held_json', 'summed_at', 'paused']).execute();
  return rows.some(
    ({ held_json: held, summed_at: at, paused }) =>
      paused === null && countSummed(readSummed(held)) > 0 && (at > now || now - at >= minuteMs),
  );
}

/**
 * @param looksAtVolume whether the counts of the hour are read, too
 * @returns whether there is more to read
 */
export async function deriveAlerts(store: Store, now: number, looksAtVolume: boolean): Promise<boolean> {
  const channels = (await store.db.selectFrom('alert_channel').selectAll().execute()).map(toChannel);
  const threshold = looksAtVolume ? findThreshold(channels) : undefined;
  const often = threshold === undefined ? [] : await readOften(store.db, threshold, now);
  const confirmed = looksAtVolume ? await readConfirmed(store.db, now - lookBackMs, now) : noActivities;
  if (often.length === 0 && confirmed.ids.length === 0 && !(await isDue(store, now))) return false;
  const names = await readAppNames(store);
  return store.transact(async (trx) => {
    const activities = await readActivities(trx);
    const happenings = [...activities.happenings, ...confirmed.happenings, ...often, ...(await readHeld(trx, now))];
    const sent = await readSent(trx, [...new Set(happenings.map(({ fault }) => fault.id))]);
    const rows = await trx.selectFrom('alert_channel').selectAll().execute();
    const hasMore = activities.ids.length === activitiesAtOnce;
    for (const row of rows) {
      const state = await readState(trx, row, now);
      for (const happening of happenings) await tellChannel(trx, state, happening, { now, names, sent });
      await sumUp(trx, state, { now, names }, !hasMore);
    }
    await markRead(trx, activities, now);
    await markRead(trx, confirmed, now);
    return hasMore;
  });
}

/** How long what was said is kept: longer than anybody looks for a message. */
const keptMs = 30 * 24 * hourMs;
const deliveriesKept = 1_000;

/** Deletes what is old of the log and of what channels know. */
export async function forgetOldAlerts(store: Store, now: number): Promise<void> {
  const { db } = store;
  await db
    .deleteFrom('alert_sent')
    .where('time', '<', now - keptMs)
    .where('held', 'is', null)
    .execute();
  const old = await db
    .selectFrom('alert_delivery')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(deliveriesKept)
    .executeTakeFirst();
  await db
    .deleteFrom('alert_delivery')
    .where('state', '!=', 'waiting')
    .where((eb) => eb.or([eb('created', '<', now - keptMs), eb('id', '<=', old?.id ?? '')]))
    .execute();
}

import 'server-only';

import type { Selectable } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';
import { createTally } from '#src/server/http/tally.ts';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { isShared } from '#src/store/lease.ts';
import type { Store } from '#src/store/open-store.ts';
import type { Tables } from '#src/store/schema.ts';

import { toChannel, type Channel } from './channel.ts';
import { findChannelKind } from './kinds/channel-kinds.ts';
import { readContent, type AlertContent } from './message.ts';
import type { Sent } from './post-message.ts';

/**
 * Sends what is stored. A message is marked as sent after the receiver took it: so a process that is killed in between sends it
 * again, and the receiver knows it by its id. A message that fails is tried again after growing pauses, and is given up after the
 * last. Each channel sends one message at a time, and waits for no other channel.
 *
 * Where several servers share the database, a sender first claims the message: it moves the time at which the message is due to
 * after the longest that sending takes. So nobody else sends it meanwhile, and when its sender dies it is due again. A message is
 * sent at least once. It is sent twice when its sender dies, or is paused for longer than the claim, after the receiver took it.
 */

/** A receiver that restarts is back within the first, one that somebody has to repair within the last. */
const pausesMs = [60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000];
const longestPauseMs = Math.max(...pausesMs);
/** An e-mail may wait for four answers, each up to 10 s (kinds/send-email.ts), and its server may be slow in between. */
const claimMs = 90_000;

type Delivery = Selectable<Tables['alert_delivery']>;

type Tried = { readonly sent: Sent; readonly type: AlertContent['type'] | undefined };

/** Sends one message to one channel, once. What cannot be written is given up: it would keep all others of its channel waiting. */
async function trySending(channel: Channel, { id, content_json }: Delivery, signal: AbortSignal): Promise<Tried> {
  const kind = findChannelKind(channel.kind);
  let type: AlertContent['type'] | undefined;
  // A newer version may have stored either.
  if (!kind) {
    return {
      type,
      sent: { isSent: false, isFinal: true, answer: `no channel of kind ${channel.kind} in this version` },
    };
  }
  try {
    const content = readContent(content_json);
    ({ type } = content);
    return { type, sent: await kind.send({ channel, id, content, origin: publicOrigin(serverSettings()), signal }) };
  } catch (error) {
    return { type, sent: { isSent: false, isFinal: true, answer: `it could not be written: ${describeError(error)}` } };
  }
}

/** By kind of channel, and what came of an attempt. */
export const deliveryCounts = createTally();

/** Those under way in this process: the timer and a person may want to send the same. */
const underWay = new Set<string>();

/** A test is for a person who waits: it is not tried again. */
function toOutcome({ attempts }: Delivery, type: Tried['type'], { isSent, isFinal }: Sent, now: number) {
  const done = { attempts: attempts + 1, last_time: now };
  if (isSent) return { ...done, state: 'sent' as const };
  const pause = type === 'test' || isFinal ? undefined : pausesMs[attempts];
  if (pause === undefined) return { ...done, state: 'given-up' as const };
  return { ...done, state: 'waiting' as const, next_time: now + pause };
}

/** Between reading it and now: by a person here, or by another process. */
async function wasTriedSince(db: Store['db'], { id, attempts }: Delivery): Promise<boolean> {
  const now = await db.selectFrom('alert_delivery').select('attempts').where('id', '=', id).executeTakeFirst();
  return now?.attempts !== attempts;
}

/** @returns whether nobody else sends it until the claim is over */
async function claim({ db }: Store, { id, state, next_time: due }: Delivery): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('alert_delivery')
    .set({ next_time: Date.now() + claimMs })
    .where('id', '=', id)
    // A test, and a message that is sent again by hand, may be given up.
    .where('state', '=', state)
    .where('next_time', '=', due)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Undoes the claim, so that the next process sends it at once. */
async function giveBack({ db }: Store, { id, next_time: due }: Delivery): Promise<void> {
  await db
    .updateTable('alert_delivery')
    .set({ next_time: due })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .execute();
}

/**
 * Tries once, and stores what came of it.
 * @returns undefined when it is being sent already or was tried since it was read, or when this process stops
 */
export async function attemptDelivery(
  store: Store,
  channel: Channel,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  if (underWay.has(delivery.id)) return undefined;
  underWay.add(delivery.id);
  try {
    if (await wasTriedSince(store.db, delivery)) return undefined;
    const isClaimed = isShared(store);
    if (isClaimed && !(await claim(store, delivery))) return undefined;
    const { sent, type } = await trySending(channel, delivery, signal);
    // A stop is no failure of the receiver: the next process tries.
    if (signal.aborted && !sent.isSent) {
      if (isClaimed) await giveBack(store, delivery);
      return undefined;
    }
    const outcome = toOutcome(delivery, type, sent, Date.now());
    await store.db
      .updateTable('alert_delivery')
      .set({ ...outcome, answer: sent.answer })
      .where('id', '=', delivery.id)
      .execute();
    deliveryCounts.add(channel.kind, outcome.state === 'waiting' ? 'failed' : outcome.state);
    if (!sent.isSent) {
      const fields = { channel: channel.id, kind: channel.kind, attempt: delivery.attempts + 1, reason: sent.answer };
      writeLog('warn', outcome.state === 'given-up' ? 'alert-given-up' : 'alert-not-sent', fields);
    }
    return sent;
  } finally {
    underWay.delete(delivery.id);
  }
}

async function readNext({ db }: Store, channel: string, now: number): Promise<Delivery | undefined> {
  return (
    db
      .selectFrom('alert_delivery')
      .selectAll()
      .where('state', '=', 'waiting')
      .where('channel', '=', channel)
      // Further away than any pause: the clock was set back.
      .where((eb) => eb.or([eb('next_time', '<=', now), eb('next_time', '>', now + longestPauseMs)]))
      .orderBy('next_time')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
  );
}

async function findDueChannels({ db }: Store, now: number): Promise<readonly Channel[]> {
  const rows = await db
    .selectFrom('alert_channel')
    .selectAll()
    .where('paused', 'is', null)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('alert_delivery')
        .select('channel')
        .where('state', '=', 'waiting')
        .where((due) => due.or([due('next_time', '<=', now), due('next_time', '>', now + longestPauseMs)])),
    )
    .execute();
  return rows.map(toChannel);
}

export type Deliverer = {
  /** Begins to send what is due, on every channel that does not send already. */
  readonly sendDue: (now: number) => Promise<void>;
  /** When what is under way has ended. */
  readonly settle: () => Promise<void>;
  /** Ends what is under way. */
  readonly stop: () => Promise<void>;
};

export function createDeliverer(store: Store): Deliverer {
  const stopping = new AbortController();
  const busy = new Map<string, Promise<void>>();

  /** Until nothing is due any more. After a failure the timer goes on: a receiver that is down is not asked without a pause. */
  async function sendAll(channel: Channel): Promise<void> {
    for (let isSent = true; isSent && !stopping.signal.aborted;) {
      const delivery = await readNext(store, channel.id, Date.now());
      isSent =
        delivery !== undefined && (await attemptDelivery(store, channel, delivery, stopping.signal))?.isSent === true;
    }
  }

  async function run(channel: Channel): Promise<void> {
    try {
      await sendAll(channel);
    } catch (error) {
      if (!stopping.signal.aborted) writeLog('error', 'alerts-failed', { reason: describeError(error) });
    } finally {
      busy.delete(channel.id);
    }
  }

  async function settle(): Promise<void> {
    await Promise.all(busy.values());
  }

  return {
    settle,
    async sendDue(now) {
      for (const channel of await findDueChannels(store, now)) {
        if (stopping.signal.aborted) return;
        if (!busy.has(channel.id)) busy.set(channel.id, run(channel));
      }
    },
    async stop() {
      stopping.abort();
      await settle();
    },
  };
}

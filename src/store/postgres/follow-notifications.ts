import { type Kysely, sql } from 'kysely';

import { describeError } from '#boundary';
import { writeLog } from '#src/server/http/log.ts';

import { isNotificationTopic, type NotificationTopic, type NotificationTransport } from '../notifications.ts';
import type { Tables } from '../schema.ts';
import { notificationChannel } from './create-sharing-tables.ts';

/**
 * Notifications between servers on one PostgreSQL. Each is a row of `notification`, and PostgreSQL's `notify` tells of it when it
 * commits, which makes it quick. That nothing is missed does not depend on that: the rows are read once a second, too. So it also
 * works through a pooler that hands out another connection for each transaction, where `LISTEN` hears nothing, and a connection
 * that died unnoticed does no harm.
 *
 * A reader must not miss a row of a transaction that began before it looked and committed afterwards. So it asks for the rows of
 * all transactions that are not older than the oldest one that was running at its last look, and forgets the ids that it has met.
 *
 * Both numbers are one server's. A standby that was promoted, or a copy that was restored, gives again those that had not reached
 * it. So with another server everything may have changed, and nothing was met.
 */

/** Who waits a second for something that another server did does not notice it. A look finds nothing by an index, in 0.1 ms. */
const lookEveryMs = 1_000;
/** Notifications that come in the same moment are one statement. Nobody sees the difference. */
const gatherMs = 20;
/** How many looks in a row have to find what no notification told, until the log says that none come. */
const looksUntilSilent = 3;

/** A connection of its own, which listens. */
type NotificationConnection = {
  readonly close: () => Promise<void>;
};

/** @param onEnd the connection ended by itself */
export type OpenConnection = (
  channel: string,
  onMessage: (payload: string) => void,
  onEnd: () => void,
) => Promise<NotificationConnection>;

type Options = {
  readonly db: Kysely<Tables>;
  readonly open: OpenConnection;
  readonly sender: string;
  readonly hear: (topic: NotificationTopic, text: string) => void;
  /** Everything may have changed. */
  readonly hearAll: () => void;
  /** Milliseconds; it never goes back, and runs while the machine sleeps. */
  readonly steady: () => number;
  readonly everyMs?: number;
};

export type NotificationFollower = NotificationTransport & {
  /** When the last look that was answered began, by `steady`: everything that had been committed until then was heard. */
  readonly confirmedAt: () => number;
  /** Looks at once. @throws when the database does not answer */
  readonly look: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type Row = { id: number | null; topic: string; sender: string; hint: string; oldest: number; server: string };

async function readNotifications(db: Kysely<Tables>, since: number | undefined): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest,
    pg_postmaster_start_time()::text as server, notification.id, notification.topic, notification.sender, notification.hint
    from (select 1) as one left join notification on notification.xact >= ${since ?? Number.MAX_SAFE_INTEGER}::bigint
    order by notification.id`.execute(db);
  return rows;
}

/** What this server tells the others: what comes in the same moment is one statement, of each topic the newest. */
function createOutbox(db: Kysely<Tables>, sender: string, onProblem: (error: unknown) => void) {
  const waiting = new Map<NotificationTopic, string>();
  let sending: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;

  async function sendWaiting(): Promise<void> {
    const batch = [...waiting];
    waiting.clear();
    try {
      await db
        .insertInto('notification')
        .values(batch.map(([topic, hint]) => ({ topic, sender, hint })))
        .execute();
    } catch (error) {
      // The next tick tries again; what was published meanwhile is newer.
      for (const [topic, text] of batch) if (!waiting.has(topic)) waiting.set(topic, text);
      onProblem(error);
    }
  }

  function flush(): Promise<void> {
    clearTimeout(gathering);
    gathering = undefined;
    if (waiting.size === 0) return sending ?? Promise.resolve();
    sending ??= sendWaiting().finally(() => (sending = undefined));
    return sending;
  }

  function send(topic: NotificationTopic, text: string): void {
    waiting.set(topic, text);
    gathering ??= setTimeout(() => void flush(), gatherMs).unref();
  }

  return { send, flush };
}

/** Says once what is wrong, and once that it is not any more. */
function createProblem() {
  let problem: string | undefined;

  function note(event: string, reason: string): void {
    if (problem !== reason) writeLog('warn', event, { reason });
    problem = reason;
  }

  function noteGood(): void {
    if (problem !== undefined) writeLog('info', 'notification-heard-again');
    problem = undefined;
  }

  return { note, noteGood };
}

export function followNotifications({
  db,
  open,
  sender,
  hear,
  hearAll,
  steady,
  everyMs = lookEveryMs,
}: Options): NotificationFollower {
  let isStopped = false;
  let since: number | undefined;
  /** When the server started that was asked last. */
  let server: string | undefined;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  /** Met in the last look, or told since it began. */
  let met = new Set<number>();
  let looking: Promise<void> | undefined;
  let connection: NotificationConnection | undefined;
  let connecting: Promise<void> | undefined;
  let silentLooks = 0;

  const { note, noteGood } = createProblem();
  const { send, flush } = createOutbox(db, sender, (error) => note('notification-not-sent', describeError(error)));

  /** @returns whether it was new */
  function meet(id: number, from: string, topic: string, text: string): boolean {
    if (met.has(id)) return false;
    met.add(id);
    if (from !== sender && isNotificationTopic(topic)) hear(topic, text);
    return from !== sender;
  }

  function onMessage(payload: string): void {
    const [id = '', from = '', topic = '', ...text] = payload.split('|');
    if (!/^\d+$/.test(id)) return;
    silentLooks = 0;
    meet(Number(id), from, topic, text.join('|'));
  }

  async function connect(): Promise<void> {
    try {
      const opened = await open(notificationChannel, onMessage, () => (connection = undefined));
      if (isStopped) await opened.close();
      else connection = opened;
    } catch (error) {
      note('notification-not-heard', describeError(error));
    } finally {
      connecting = undefined;
    }
  }

  async function lookOnce(): Promise<void> {
    const began = steady();
    const before = met;
    met = new Set(before);
    const told = met;
    const rows = await readNotifications(db, since);
    const oldest = rows[0]?.oldest ?? 0;
    // What came before the first look is not known. When the numbers begin anew, another database stands behind the address.
    const isOther = server !== undefined && rows[0]?.server !== server;
    if (since === undefined || oldest < since || isOther) hearAll();
    if (isOther) told.clear();
    server = rows[0]?.server;
    let found = 0;
    const present = new Set<number>();
    for (const { id, sender: from, topic, hint } of rows) {
      if (id === null) continue;
      present.add(id);
      if (meet(id, from, topic, hint)) found += 1;
    }
    // What is neither in the answer nor came since the look began is too old to come again.
    met = new Set([...told].filter((id) => present.has(id) || !before.has(id)));
    since = oldest;
    confirmedAt = began;
    if (found > 0 && connection) silentLooks += 1;
    if (silentLooks >= looksUntilSilent) {
      note('notifications-polled', 'no notification arrives: a pooler in transaction mode?');
    } else if (connection) noteGood();
  }

  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => (looking = undefined));
    return looking;
  }

  async function tick(): Promise<void> {
    if (!connection && !isStopped) connecting ??= connect();
    try {
      await look();
      await flush();
    } catch (error) {
      note('notification-not-read', describeError(error));
    }
  }

  const timer = setInterval(() => void tick(), everyMs).unref();
  void tick();

  return {
    confirmedAt: () => confirmedAt,
    look,
    send,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.allSettled([looking, connecting]);
      await flush();
      await flush();
      await connection?.close();
    },
  };
}

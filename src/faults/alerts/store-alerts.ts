import 'server-only';

import { randomBytes } from 'node:crypto';

import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';

import { dialectOf } from '#src/store/dialect.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import { selectEvents } from '../kept/select-events.ts';

import type { Channel } from './channel.ts';
import { boundFault, type AlertContent, type FaultContent } from './message.ts';
import type { Happening, Sent } from './weigh-faults.ts';

/** Reads and writes of one pass over the outbox. */

let made = 0;

/** Sorts by time, and within this process by order. The random part makes it a name of this message alone. */
function createDeliveryId(now: number): string {
  made = (made + 1) % 65_536;
  const [time, count] = [now.toString(16).padStart(12, '0'), made.toString(16).padStart(4, '0')];
  return `${time}${count}${randomBytes(6).toString('hex')}`;
}

export async function addDelivery(
  db: Kysely<Tables>,
  channel: string,
  content: AlertContent,
  initial: Pick<Selectable<Tables['alert_delivery']>, 'state' | 'next_time'>,
): Promise<string> {
  const id = createDeliveryId(content.time);
  const of = content.type === 'fault' ? content.fault : undefined;
  await db
    .insertInto('alert_delivery')
    .values({
      id,
      channel,
      app: of?.app ?? ('app' in content ? content.app : ''),
      fault: of?.id ?? '',
      content_json: JSON.stringify(content),
      created: content.time,
      ...initial,
    })
    .execute();
  return id;
}

export function sentKey(channel: string, fault: string): string {
  return `${channel} ${fault}`;
}

/** What all channels know of these faults, by channel and fault. */
export async function readSent(db: Kysely<Tables>, faults: readonly string[]): Promise<Map<string, Sent>> {
  if (faults.length === 0) return new Map();
  const rows = await db
    .selectFrom('alert_sent')
    .selectAll()
    .where(dialectOf(db).isOneOf(sql.ref('fault'), faults))
    .execute();
  return new Map(
    rows.map(({ channel, fault, time, seen, held, volume_hour: volumeHour }) => [
      sentKey(channel, fault),
      { time, seen, held, volumeHour },
    ]),
  );
}

export async function writeSent(trx: Transaction<Tables>, channel: string, fault: string, sent: Sent): Promise<void> {
  const { time, seen, held, volumeHour } = sent;
  const values = { time, seen, held, volume_hour: volumeHour };
  await trx
    .insertInto('alert_sent')
    .values({ channel, fault, ...values })
    .onConflict((conflict) => conflict.columns(['channel', 'fault']).doUpdateSet(values))
    .execute();
}

/** How many messages were made for a channel since then, and how many wait to be sent. */
export async function countDeliveries(
  db: Kysely<Tables>,
  channel: string,
  since: number,
): Promise<{ readonly recent: number; readonly waiting: number }> {
  return db
    .selectFrom('alert_delivery')
    .select([
      sql<number>`count(*) filter (where created > ${since})`.as('recent'),
      sql<number>`count(*) filter (where state = 'waiting')`.as('waiting'),
    ])
    .where('channel', '=', channel)
    .executeTakeFirstOrThrow();
}

/** The apps of which the channel was told since then. */
export async function listToldApps(db: Kysely<Tables>, channel: string, since: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('alert_delivery')
    .select('app')
    .distinct()
    .where('channel', '=', channel)
    .where('created', '>', since)
    .execute();
  return rows.flatMap(({ app }) => (app === null ? [] : [app]));
}

/** It may be gone by now. */
async function readReason(
  db: Kysely<Tables>,
  error: string | null,
): Promise<Pick<FaultContent, 'digest' | 'environment' | 'page'> & Partial<Pick<FaultContent, 'message'>>> {
  const find = async (side: Side) =>
    error === null
      ? undefined
      : selectEvents(db, side)
          .select(['digest', 'environment', 'route', 'path', 'message'])
          .where('id', '=', error)
          .executeTakeFirst();
  const row = (await find('server')) ?? (await find('browser'));
  if (!row) return { digest: null, environment: '', page: '' };
  // Errors of a fault may differ in their values: the message is that of the error which the digest leads to.
  return { digest: row.digest, environment: row.environment, page: row.route || row.path, message: row.message };
}

/** What is said of a fault now. @param names of apps, by id */
export async function readFaultContent(
  db: Kysely<Tables>,
  { fault: { id }, error }: Pick<Happening, 'error'> & { readonly fault: { readonly id: string } },
  names: ReadonlyMap<string, string>,
): Promise<FaultContent> {
  const row = await db.selectFrom('fault').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const { app, side, name, message, culprit, level, count, untrusted, users } = row;
  return boundFault({
    id,
    app,
    appName: names.get(app) ?? app,
    side,
    name,
    message,
    culprit,
    level,
    count,
    untrusted,
    users,
    release: row.last_release,
    ...(await readReason(db, error)),
    firstTime: row.first_time,
    lastTime: row.last_time,
  });
}

/** The faults that a summary names: those of `ids` that are there yet. */
export async function readNamed(
  db: Kysely<Tables>,
  ids: readonly string[],
  names: ReadonlyMap<string, string>,
): Promise<FaultContent[]> {
  const rows = await db.selectFrom('fault').select('id').where('id', 'in', ids).execute();
  const there = new Set(rows.map(({ id }) => id));
  const named: FaultContent[] = [];
  for (const id of ids) {
    if (there.has(id)) named.push(await readFaultContent(db, { fault: { id }, error: null }, names));
  }
  return named;
}

/** Returns the number of this hour, as far as the channel counts it. */
export function countInHour({ hour }: Happening, { rules }: Channel): number | null {
  return hour ? hour.count + (rules.untrusted ? hour.untrusted : 0) : null;
}

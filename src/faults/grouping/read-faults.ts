import 'server-only';

import type { Kysely, Selectable } from 'kysely';

import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import type { FaultTable, Tables } from '#src/store/schema.ts';

import { hourCounted } from './counted.ts';
import { hourMs } from './hours.ts';

/** One line of a list of faults. */
export type FaultSummary = {
  readonly id: string;
  readonly app: string;
  /** `browser`: nobody but browsers has reported it. */
  readonly side: FaultTable['side'];
  readonly name: string;
  readonly message: string;
  readonly culprit: string;
  readonly level: FaultTable['level'];
  readonly state: FaultTable['state'];
  readonly unseen: FaultTable['unseen'];
  /** Milliseconds since 1970, by our clock. */
  readonly firstTime: number;
  readonly lastTime: number;
  readonly firstRelease: string;
  readonly lastRelease: string;
  /** Errors on servers, and errors of browsers, whether kept or not. */
  readonly count: number;
  readonly untrusted: number;
  /** 0: senders named no user. */
  readonly users: number;
};

export function toFaultSummary(row: Selectable<FaultTable>): FaultSummary {
  const { id, app, side, name, message, culprit, level, state, unseen, count, untrusted, users } = row;
  return {
    id,
    app,
    side,
    name,
    message,
    culprit,
    level,
    state,
    unseen,
    count,
    untrusted,
    users,
    firstTime: row.first_time,
    lastTime: row.last_time,
    firstRelease: row.first_release,
    lastRelease: row.last_release,
  };
}

/** What counts of a fault (counted.ts), hour by hour. */
export type HourCounts = {
  /** The first hour, milliseconds since 1970. */
  readonly from: number;
  /** One number for each hour, without gaps; the last is the hour of `to`. */
  readonly counts: readonly number[];
};

/** For sparklines: each fault's last `hours` hours, up to `to`. */
export async function readHourCounts(
  db: Kysely<Tables>,
  faults: readonly string[],
  hours: number,
  to: number,
): Promise<ReadonlyMap<string, HourCounts>> {
  const last = Math.floor(to / hourMs);
  const from = (last - hours + 1) * hourMs;
  const counts = new Map(faults.map((id) => [id, Array.from<number>({ length: hours }).fill(0)]));
  if (faults.length > 0) {
    const rows = await db
      .selectFrom('fault_hash')
      .innerJoin('fault_hour', (join) =>
        join.onRef('fault_hour.app', '=', 'fault_hash.app').onRef('fault_hour.hash', '=', 'fault_hash.hash'),
      )
      .leftJoin('fault', 'fault.id', 'fault_hash.fault')
      .select(['fault_hash.fault', 'fault_hour.hour', hourCounted.as('counted')])
      .where('fault_hash.fault', 'in', faults)
      .where('fault_hour.hour', '>=', from)
      .execute();
    for (const row of rows) {
      const list = counts.get(row.fault);
      const at = Math.floor((row.hour - from) / hourMs);
      if (list && at < hours) list[at] = (list[at] ?? 0) + row.counted;
    }
  }
  return new Map(Array.from(counts, ([id, list]) => [id, { from, counts: list }]));
}

/** The fault of this id, or the one it was merged into; undefined when there is none. */
export async function readFault(id: string): Promise<FaultSummary | undefined> {
  requireReader();
  const { db } = await openStore();
  const row = await db.selectFrom('fault').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return undefined;
  return row.merged_into === null ? toFaultSummary(row) : readFault(row.merged_into);
}

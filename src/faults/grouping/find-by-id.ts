import 'server-only';

import type { Kysely } from 'kysely';

import { readApps } from '#src/apps/apps.ts';
import { requireReader } from '#src/access/require-reader.ts';
import { openStore } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';
import { isTrusted, sides } from '#src/store/event-columns.ts';
import type { Side, Tables } from '#src/store/schema.ts';

import { selectEvents, timeColumns } from '../kept/select-events.ts';
import { toRowKey } from '../kept/row-key.ts';

/** What an id leads to: a fault, or one of its errors. An error whose stack is not understood yet has no fault. */
export type FoundById =
  | { readonly type: 'fault'; readonly fault: string }
  | { readonly type: 'error'; readonly fault: string | null; readonly key: string }
  | { readonly type: 'untrusted'; readonly fault: string | null; readonly key: string; readonly digest: string | null }
  /** A trace in which several faults occurred: a list shows them. */
  | { readonly type: 'trace'; readonly trace: string };

/** Of events and traces, with or without the hyphens of a UUID, also among other words. */
const hexId = /(?<![\da-f])[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}(?![\da-f])/gi;
/** Each costs a look into four indexes. */
const idsRead = 4;
/** As note-error.ts makes them: alone, or in an address. */
const faultId = /^(?:\S*\/faults\/)?([\da-hjkmnp-tv-z]{8})(?:\?\S*)?$/;

/** Empty when there is none in `typed`. */
export function readHexIds(typed: string): string[] {
  const ids = Array.from(typed.matchAll(hexId), ([id]) => id.replaceAll('-', '').toLowerCase());
  return [...new Set(ids)].slice(0, idsRead);
}

type Found = {
  readonly side: Side;
  readonly key: string;
  readonly fault: string | null;
  readonly digest: string | null;
};

function selectFound(db: Kysely<Tables>, side: Side) {
  return selectEvents(db, side).select(['event.side', 'id as key', 'fault', 'digest']);
}

/** What servers told, else what a browser reports. */
async function findFirst(find: (side: Side) => Promise<Found | undefined>): Promise<FoundById | undefined> {
  const found = (await find('server')) ?? (await find('browser'));
  if (!found) return undefined;
  const { side, key, fault, digest } = found;
  return isTrusted(side) ? { type: 'error', fault, key } : { type: 'untrusted', fault, key, digest };
}

async function findEvent(
  db: Kysely<Tables>,
  id: string,
  isMeant: (app: string) => boolean,
): Promise<FoundById | undefined> {
  const apps = [ownApp, ...(await readApps()).map((app) => app.id)].filter(isMeant);
  const keys = apps.map((app) => toRowKey(app, id));
  if (keys.length === 0) return undefined;
  // Whoever sends for another app may repeat an id that was seen: the first is whose it is.
  return findFirst((side) =>
    selectFound(db, side).where('id', 'in', keys).orderBy('received_at').limit(1).executeTakeFirst(),
  );
}

/** A trace is a document with all that followed. Somebody may post thousands of untrusted errors with the same one. */
const traceRowsRead = 500;

/** The faults that occurred in this trace, each with the key of its latest error: a server's where there is one. */
export async function readTraceFaults(db: Kysely<Tables>, id: string): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  for (const side of sides) {
    const rows = await selectEvents(db, side)
      .innerJoin('fault', 'fault.id', 'event.fault')
      .select(({ fn }) => ['event.id as key', fn.coalesce('fault.merged_into', 'fault.id').as('fault')])
      .where('event.trace_id', '=', id)
      .orderBy(`event.${timeColumns[side]}`, 'desc')
      .limit(traceRowsRead)
      .execute();
    for (const { fault, key } of rows) if (!keys.has(fault)) keys.set(fault, key);
  }
  return keys;
}

/** The latest error of the servers, else the latest that a browser reported; a list where they are of several faults. */
async function findTrace(db: Kysely<Tables>, id: string): Promise<FoundById | undefined> {
  if ((await readTraceFaults(db, id)).size > 1) return { type: 'trace', trace: id };
  return findFirst((side) =>
    selectFound(db, side).where('trace_id', '=', id).orderBy(timeColumns[side], 'desc').limit(1).executeTakeFirst(),
  );
}

/**
 * What an event's id, a trace's id or a fault's id in `typed` names.
 * @param isMeant whether the event may be one of this app
 */
export async function findById(
  typed: string,
  isMeant: (app: string) => boolean = () => true,
): Promise<FoundById | undefined> {
  requireReader();
  const { db } = await openStore();
  for (const id of readHexIds(typed)) {
    const found = (await findEvent(db, id, isMeant)) ?? (await findTrace(db, id));
    if (found) return found;
  }
  const [, fault] = faultId.exec(typed.trim()) ?? [];
  if (fault === undefined) return undefined;
  const row = await db
    .selectFrom('fault')
    .select(({ fn }) => fn.coalesce('merged_into', 'id').as('id'))
    .where('id', '=', fault)
    .executeTakeFirst();
  return row && { type: 'fault', fault: row.id };
}
